import { EgressError } from "./egress_error.ts";

export interface Hop {
  method: string;
  url: URL;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that another origin may see; any other may be a credential. */
const CROSS_ORIGIN_HEADERS = new Set(["accept", "accept-language", "content-type", "user-agent"]);

/**
 * The request that a redirect leads to, with method and body as in browsers; `undefined` if the
 * response is not a redirect. To another origin, only harmless headers are sent, and a secret in the
 * body or in the new URL fails the call.
 */
export function redirectRequest(
  hop: Hop,
  response: { status: number; location: string | undefined },
  containsSecret: (text: string) => boolean,
): Hop | undefined {
  if (!REDIRECTS.has(response.status) || response.location === undefined) return undefined;
  const url = URL.parse(response.location, hop.url);
  if (url === null) throw new EgressError("tool_unreachable", "the redirect leads to no URL");
  url.hash = "";
  const next = { ...withRedirectMethod(hop, response.status), url };
  if (url.origin === hop.url.origin) return next;
  const headers = Object.entries(next.headers)
    .filter(([name, value]) => CROSS_ORIGIN_HEADERS.has(name) && !containsSecret(value));
  const sent = url.href + (next.body === undefined ? "" : new TextDecoder().decode(next.body));
  if (containsSecret(sent)) {
    const message = "the redirect would carry a secret to another host";
    throw new EgressError("domain_not_allowed", message);
  }
  return { ...next, headers: Object.fromEntries(headers) };
}

/** 303, and 301 and 302 after a POST, continue with GET; 307 and 308 repeat the request. */
function withRedirectMethod(hop: Hop, status: number): Hop {
  const toGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  if (!toGet) return hop;
  const headers = Object.entries(hop.headers).filter(([name]) => !name.startsWith("content-"));
  return { ...hop, method: "GET", headers: Object.fromEntries(headers), body: undefined };
}
