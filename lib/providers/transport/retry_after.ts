/** An error response that may request a delay. */
export interface RetryHint {
  header: (name: string) => string | undefined;
  /** One provider states the delay here. */
  errorBody: string;
  /** Milliseconds since the epoch. */
  now: number;
}

const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"/;

/** The requested delay in milliseconds; `undefined` if there is no valid one. */
export function retryAfterMs({ header, errorBody, now }: RetryHint): number | undefined {
  const exact = parseNumber(header("retry-after-ms"));
  if (exact !== undefined) return Math.ceil(exact);
  const after = header("retry-after")?.trim();
  const seconds = parseNumber(after);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = after === undefined ? NaN : Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const delay = parseNumber(RETRY_DELAY.exec(errorBody)?.[1]);
  return delay === undefined ? undefined : Math.ceil(delay * 1000);
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
