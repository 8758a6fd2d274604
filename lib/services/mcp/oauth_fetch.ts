import type { Egress, EgressResponse } from "../../egress/egress.ts";

const TIMEOUT_MS = 10_000;
/** Of metadata, a registration or tokens. */
const MAX_RESPONSE_BYTES = 65_536;
const NULL_BODY_STATUSES = new Set([204, 205, 304]);

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface OAuthFetchOptions {
  egress: Pick<Egress, "fetch">;
  tenant: string;
  /** The only hosts that are asked, as `host` or `host:port`. */
  hosts: readonly string[];
}

/**
 * The `fetch` for the OAuth functions of the MCP library: every request passes egress with its checks
 * of hosts and addresses. No redirect is followed, neither here nor by the library, because it would
 * carry a code, a secret or a token to where the confirmed metadata does not point.
 */
export function oauthFetch({ egress, tenant, hosts }: OAuthFetchOptions): OAuthFetch {
  return async (target, init = {}) => {
    const url = new URL(target);
    const body = init.body === undefined || init.body === null ? undefined : `${init.body}`;
    const response = await egress.fetch({
      tenant,
      url,
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: body === undefined ? undefined : new TextEncoder().encode(body),
      allowedDomains: hosts,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      maxRedirects: 0,
      signal: new AbortController().signal,
    });
    return toResponse({ ...response, body: new Uint8Array(response.body) });
  };
}

function toResponse(
  { status, headers, body }: Pick<EgressResponse, "status" | "headers"> & {
    body: Uint8Array<ArrayBuffer>;
  },
): Response {
  // Without `location`, the library has nothing to follow.
  const relayed = new Headers();
  for (const name of ["content-type", "www-authenticate"]) {
    const value = headers[name];
    if (typeof value === "string") relayed.set(name, value);
  }
  const isNull = NULL_BODY_STATUSES.has(status);
  return new Response(isNull ? null : body, { status, headers: relayed });
}

/** A host as egress compares it: with its port if that is not the default one. */
export function hostOf(url: string | URL): string {
  return new URL(url).host;
}
