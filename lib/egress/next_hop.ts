import { EgressError } from "./egress_error.ts";

/** What is asked of one hop. */
export interface Hop {
  method: string;
  url: URL;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** All that another origin gets to see: anything else may be a credential. */
const CROSS_ORIGIN_HEADERS = new Set(["accept", "accept-language", "content-type", "user-agent"]);

/**
 * The request a redirect asks for, with method and body as browsers keep them; `undefined` when the
 * answer is no redirect. Nothing that may be a credential goes to another origin: its headers are
 * left behind, and a secret in the body or in the new address ends the call.
 */
export function nextHop(
  hop: Hop,
  answer: { status: number; location: string | undefined },
  holdsSecret: (text: string) => boolean,
): Hop | undefined {
  if (!REDIRECTS.has(answer.status) || answer.location === undefined) return undefined;
  const url = URL.parse(answer.location, hop.url);
  if (url === null) throw new EgressError("tool_unreachable", "the redirect leads to no URL");
  url.hash = "";
  const next = { ...withRedirectMethod(hop, answer.status), url };
  if (url.origin === hop.url.origin) return next;
  const headers = Object.entries(next.headers)
    .filter(([name, value]) => CROSS_ORIGIN_HEADERS.has(name) && !holdsSecret(value));
  const told = url.href + (next.body === undefined ? "" : new TextDecoder().decode(next.body));
  if (holdsSecret(told)) {
    const message = "the redirect would carry a secret to another host";
    throw new EgressError("domain_not_allowed", message);
  }
  return { ...next, headers: Object.fromEntries(headers) };
}

/** 303 asks with GET, and so do 301 and 302 after a POST; 307 and 308 repeat the request. */
function withRedirectMethod(hop: Hop, status: number): Hop {
  const toGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  if (!toGet) return hop;
  const headers = Object.entries(hop.headers).filter(([name]) => !name.startsWith("content-"));
  return { ...hop, method: "GET", headers: Object.fromEntries(headers), body: undefined };
}
