import type { IncomingMessage } from "node:http";
import type { Runtime } from "../../platform/runtime.ts";
import type { HttpExchange } from "./http_exchange.ts";
import { retryAfterMs } from "./retry_after.ts";
import { ProviderError } from "../provider_error.ts";

/** Enough to understand an error by; a vendor's error page may be of any length. */
const MAX_ERROR_BODY_BYTES = 8192;
/** Nobody waits longer for the words of a refusal: the fallback is asked meanwhile. */
const ERROR_BODY_TIMEOUT_MS = 2000;

/** What a vendor's refusal (any status but 200) means; the socket is closed unless it is spent. */
export async function readErrorResponse(
  exchange: HttpExchange,
  options: { response: IncomingMessage; runtime: Pick<Runtime, "now" | "sleep"> },
): Promise<ProviderError> {
  const { response, runtime } = options;
  const status = response.statusCode ?? 0;
  const words = await readErrorBody(exchange, runtime);
  const header = (name: string) => response.headers[name]?.toString();
  const after = retryAfterMs({ header, errorBody: words, now: runtime.now() });
  return toProviderError({ status, words, after });
}

function toProviderError(
  { status, words, after }: { status: number; words: string; after: number | undefined },
): ProviderError {
  const more = { status, errorBody: words, retryAfterMs: after };
  if (status === 429) {
    // An empty account answers 429 as well, and waiting does not fill it.
    const retry = /insufficient_quota|billing_hard_limit/.test(words) ? "no" : "later";
    const message = "the model vendor is over its rate limit";
    return new ProviderError("provider_rate_limited", message, { ...more, retry });
  }
  if (status === 408 || status === 504) {
    const message = `the model vendor timed out (${status})`;
    return new ProviderError("provider_timeout", message, { ...more, retry: "later" });
  }
  const message = `the model vendor ${
    STATUS_MESSAGES[status] ?? "answered with an error"
  } (${status})`;
  return new ProviderError("provider_error", message, {
    ...more,
    retry: status >= 500 ? "later" : "no",
  });
}

const STATUS_MESSAGES: Readonly<Record<number, string>> = {
  400: "did not accept the request",
  401: "did not accept the credential of its slot",
  403: "did not accept the credential of its slot",
  404: "does not know the model",
  413: "found the request too large",
  422: "did not accept the request",
  503: "is overloaded",
  529: "is overloaded",
};

/** The first bytes of the body as text; a body that breaks or dawdles ends there. */
export async function readErrorBody(
  exchange: HttpExchange,
  runtime: Pick<Runtime, "sleep">,
): Promise<string> {
  const decoder = new TextDecoder();
  const whole = Promise.withResolvers<void>();
  const done = new AbortController();
  let words = "";
  let left = MAX_ERROR_BODY_BYTES;
  exchange.listen({
    onChunk: (chunk) => {
      words += decoder.decode(chunk.subarray(0, left), { stream: true });
      left = Math.max(0, left - chunk.byteLength);
      if (left === 0) exchange.destroy();
    },
    onEnd: () => whole.resolve(),
  });
  const limit = runtime.sleep(ERROR_BODY_TIMEOUT_MS, done.signal).catch(() => {});
  await Promise.race([whole.promise, limit]);
  done.abort();
  exchange.destroy();
  return words;
}
