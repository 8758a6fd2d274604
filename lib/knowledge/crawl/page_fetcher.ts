import type { Egress, EgressResponse } from "../../egress/egress.ts";
import { EgressError } from "../../egress/egress_error.ts";
import { concatBytes } from "../../platform/bytes.ts";
import type { SkipReason } from "../../schemas/web_source.ts";
import type { CrawlScope } from "./crawl_scope.ts";
import type { HostPace } from "./host_pace.ts";
import { CRAWLER_USER_AGENT } from "./robots_rules.ts";

/** For one request, its body included. */
const PAGE_TIMEOUT_MS = 20_000;
export const MAX_PAGE_BYTES = 10 * 1_048_576;
const MAX_HEADER_LENGTH = 1_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What a server said when the page was last fetched. */
export interface Validators {
  etag?: string | undefined;
  lastModified?: string | undefined;
}

export type FetchedPage =
  | (
    & { kind: "content"; type: string; charset?: string | undefined; robots: string }
    & Validators
    & {
      bytes: Uint8Array<ArrayBuffer>;
      status: number;
    }
  )
  | { kind: "not_modified" }
  | { kind: "redirect"; location: string; status: number }
  | { kind: "no_content"; reason: SkipReason; status?: number };

export interface FetchPageOptions {
  signal: AbortSignal;
  delayMs?: number | undefined;
  validators?: Validators;
  maxBytes?: number;
  /** Keeps the beginning of a body that is too large. */
  truncate?: boolean;
  /** Whether to read a body of this type; all by default. */
  accepts?: (type: string) => boolean;
}

/** The host has no address that the service may connect to. */
export class AddressNotAllowedError extends Error {
  override name = "AddressNotAllowedError";
}

/** Requests the pages of one site. Never follows a redirect: the crawl decides where it may go. */
export class PageFetcher {
  readonly #egress: Pick<Egress, "open">;
  readonly #pace: HostPace;
  readonly #scope: CrawlScope;
  readonly #tenant: string;

  constructor(
    deps: { egress: Pick<Egress, "open">; pace: HostPace },
    { scope, tenant }: { scope: CrawlScope; tenant: string },
  ) {
    this.#egress = deps.egress;
    this.#pace = deps.pace;
    this.#scope = scope;
    this.#tenant = tenant;
  }

  /** Throws `AddressNotAllowedError`, or the signal's reason. */
  async fetch(url: URL, options: FetchPageOptions): Promise<FetchedPage> {
    if (!this.#scope.includes(url)) return { kind: "no_content", reason: "other_host" };
    const { signal, delayMs } = options;
    try {
      return await this.#pace.run(url, () => this.#request(url, options), { delayMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EgressError)) throw error;
      if (error.code === "domain_not_allowed") throw new AddressNotAllowedError(error.message);
      return { kind: "no_content", reason: EGRESS_REASONS[error.code] };
    }
  }

  async #request(
    url: URL,
    options: FetchPageOptions,
  ): Promise<FetchedPage> {
    const { signal, validators = {}, maxBytes = MAX_PAGE_BYTES } = options;
    const response = await this.#egress.open({
      ...{ tenant: this.#tenant, method: "GET", url, signal, maxRedirects: 0 },
      headers: requestHeaders(validators),
      allowedDomains: this.#scope.allowedDomains,
      timeoutMs: PAGE_TIMEOUT_MS,
      maxResponseBytes: maxBytes,
    });
    try {
      return await readResponse(response, options);
    } finally {
      response.close();
    }
  }
}

const EGRESS_REASONS = {
  domain_not_allowed: "unreachable",
  tool_timeout: "timeout",
  tool_response_too_large: "too_large",
  tool_unreachable: "unreachable",
} as const satisfies Record<EgressError["code"], SkipReason>;

/** No cookies, ever: a crawl sees what a new visitor sees. */
function requestHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    "user-agent": CRAWLER_USER_AGENT,
    accept: "text/html,application/xhtml+xml,*/*;q=0.5",
    ...etag !== undefined && { "if-none-match": etag },
    ...lastModified !== undefined && { "if-modified-since": lastModified },
  };
}

async function readResponse(
  { status, headers, body }: EgressResponse,
  { accepts = () => true, truncate = false }: FetchPageOptions,
): Promise<FetchedPage> {
  if (status === 304) return { kind: "not_modified" };
  if (REDIRECTS.has(status) && headers.location !== undefined) {
    return { kind: "redirect", location: headers.location, status };
  }
  if (status === 404 || status === 410) return { kind: "no_content", reason: "gone", status };
  if (status !== 200) return { kind: "no_content", reason: "status", status };
  const [type = "", ...parameters] = (headers["content-type"] ?? "").split(";");
  const essence = type.trim().toLowerCase();
  if (!accepts(essence)) return { kind: "no_content", reason: "type", status };
  return {
    ...{ kind: "content", status, type: essence, charset: findCharset(parameters) },
    bytes: await readBody(body, truncate),
    etag: shortHeader(headers.etag),
    lastModified: shortHeader(headers["last-modified"]),
    robots: [headers["x-robots-tag"] ?? ""].flat().join(", "),
  };
}

async function readBody(
  body: AsyncIterable<Uint8Array>,
  truncate: boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    const isTooLarge = error instanceof EgressError && error.code === "tool_response_too_large";
    if (!truncate || !isTooLarge) throw error;
  }
  return concatBytes(chunks);
}

function findCharset(parameters: string[]): string | undefined {
  for (const parameter of parameters) {
    const match = /^\s*charset\s*=\s*"?([\w.:-]{1,40})"?\s*$/i.exec(parameter.slice(0, 100));
    if (match !== null) return match[1];
  }
  return undefined;
}

/** One that is too long is not sent back. */
function shortHeader(value: string | undefined): string | undefined {
  return value === undefined || value.length > MAX_HEADER_LENGTH ? undefined : value;
}
