/** The service's error response in place of a stream. */
export interface Rejection {
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** The service's error code, or `network_error`, `session_token_missing`, `unexpected_response`. */
  readonly code: string;
  /** The limit that was reached. */
  readonly scope?: string | undefined;
  /** In seconds. */
  readonly retryAfter?: number | undefined;
}

/** Every attempt to connect failed. */
export const NETWORK_ERROR: Rejection = { status: 0, code: "network_error" };

export async function readRejection(response: Response): Promise<Rejection> {
  const body = await response.json().catch(() => undefined);
  return {
    status: response.ok ? 502 : response.status,
    code: body?.code ?? "unexpected_response",
    scope: body?.details?.scope,
    retryAfter: parseInt(response.headers.get("retry-after")!) || 1,
  };
}
