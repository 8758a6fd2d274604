import type { Egress, EgressResponse } from "../egress/egress.ts";
import { EgressError } from "../egress/egress_error.ts";
import type { Runtime } from "../platform/runtime.ts";

const MAX_BYTES = 512 * 1024;
const TIMEOUT_MS = 5_000;
const MAX_REDIRECTS = 3;

/** A fetched page. Nothing of it may reach the caller of the doctor. */
export interface FetchedPage {
  html: string;
  policies: string[];
  /** From `Date` plus `Age`; milliseconds since the epoch. */
  serverTimeMs: number | undefined;
}

interface FetchPageOptions {
  egress: Pick<Egress, "open">;
  tenant: string;
  runtime: Pick<Runtime, "now">;
  signal: AbortSignal;
}

/**
 * `undefined` if it fails, without the reason: the caller must not learn what answers there.
 * Redirects are followed within the origin only, which is the one that the agent's owner has
 * listed.
 */
export async function fetchPage(
  origin: string,
  options: FetchPageOptions,
): Promise<FetchedPage | undefined> {
  const deadline = options.runtime.now() + TIMEOUT_MS;
  let url = new URL("/", origin);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const timeoutMs = deadline - options.runtime.now();
    if (url.protocol !== "https:" || url.origin !== origin || timeoutMs <= 0) return undefined;
    const response = await request(url, { ...options, timeoutMs });
    if (response === undefined) return undefined;
    const { status, headers } = response;
    if (status >= 300 && status < 400 && headers.location) {
      response.close();
      const next = URL.parse(headers.location, url);
      if (next === null) return undefined;
      url = next;
      continue;
    }
    const isHtml = status >= 200 && status < 300 &&
      /^text\/html\b/i.test(headers["content-type"] ?? "");
    const html = isHtml ? await readText(response) : undefined;
    response.close();
    return html === undefined ? undefined : { html, ...parseHeaders(response) };
  }
  return undefined;
}

async function request(
  url: URL,
  { egress, tenant, timeoutMs, signal }: FetchPageOptions & { timeoutMs: number },
): Promise<EgressResponse | undefined> {
  try {
    return await egress.open({
      ...{ method: "GET", tenant, url, timeoutMs, signal },
      ...{ maxResponseBytes: MAX_BYTES, maxRedirects: 0 },
      headers: { accept: "text/html" },
      allowedDomains: [url.host],
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return undefined;
  }
}

/** Reads the body, of a long page only the first `MAX_BYTES`. */
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

function parseHeaders({ headers }: EgressResponse): Omit<FetchedPage, "html"> {
  const policy = headers["content-security-policy"];
  const timeMs = Date.parse(headers.date ?? "") + Number(headers.age ?? 0) * 1000;
  return {
    policies: policy === undefined ? [] : [policy].flat(),
    serverTimeMs: Number.isFinite(timeMs) ? timeMs : undefined,
  };
}
