import type { Egress, EgressResponse } from "../egress/egress.ts";
import { EgressError } from "../egress/egress_error.ts";
import type { Runtime } from "../platform/runtime.ts";

const MAX_BYTES = 512 * 1024;
const TIMEOUT_MS = 5_000;
const MAX_REDIRECTS = 3;

/** A page as it came. It never leaves the doctor. */
export interface FetchedPage {
  html: string;
  /** Contents of `Content-Security-Policy`. */
  policies: string[];
  /** What the site's clock showed, less its age in caches; milliseconds, if it told. */
  serverTimeMs: number | undefined;
}

export interface FetchPageOptions {
  egress: Pick<Egress, "open">;
  /** The tenant that makes the request. */
  tenant: string;
  runtime: Pick<Runtime, "now">;
  signal: AbortSignal;
}

/**
 * The page at the root of an https origin, through the egress guard; `undefined` when it cannot be
 * read, for whatever reason: why is not for the caller to know. Redirects are followed within the
 * origin only: it is the one that the agent's owner has named.
 */
export async function fetchPage(
  origin: string,
  options: FetchPageOptions,
): Promise<FetchedPage | undefined> {
  const ends = options.runtime.now() + TIMEOUT_MS;
  let url = new URL("/", origin);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const timeoutMs = ends - options.runtime.now();
    if (url.protocol !== "https:" || url.origin !== origin || timeoutMs <= 0) return undefined;
    const answer = await request(url, { ...options, timeoutMs });
    if (answer === undefined) return undefined;
    const { status, headers } = answer;
    if (status >= 300 && status < 400 && headers.location) {
      answer.close();
      if (!URL.canParse(headers.location, url)) return undefined;
      url = new URL(headers.location, url);
      continue;
    }
    const html = isHtml(answer) ? await readText(answer) : undefined;
    answer.close();
    return html === undefined ? undefined : { html, ...pageHeaders(answer) };
  }
  return undefined;
}

async function request(
  url: URL,
  { egress, tenant, timeoutMs, signal }: FetchPageOptions & { timeoutMs: number },
): Promise<EgressResponse | undefined> {
  const request = {
    method: "GET",
    tenant,
    url,
    headers: { accept: "text/html" },
    allowedDomains: [url.host],
    timeoutMs,
    maxResponseBytes: MAX_BYTES,
    maxRedirects: 0,
    signal,
  };
  return await egress.open(request).catch(ignoreEgressError);
}

/** As much of a long page as there is room for. */
async function readText({ body }: EgressResponse): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let html = "";
  try {
    for await (const chunk of body) html += decoder.decode(chunk, { stream: true });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.code !== "tool_response_too_large") return undefined;
  }
  return html;
}

function ignoreEgressError(error: unknown): undefined {
  if (!(error instanceof EgressError)) throw error;
}

function isHtml({ status, headers }: EgressResponse): boolean {
  return status >= 200 && status < 300 && /^text\/html\b/i.test(headers["content-type"] ?? "");
}

function pageHeaders({ headers }: EgressResponse): Pick<FetchedPage, "policies" | "serverTimeMs"> {
  const policy = headers["content-security-policy"];
  const date = Date.parse(headers.date ?? "");
  const age = Number(headers.age ?? 0) * 1000;
  return {
    policies: policy === undefined ? [] : [policy].flat(),
    serverTimeMs: Number.isFinite(date + age) ? date + age : undefined,
  };
}
