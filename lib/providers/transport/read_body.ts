import type { Runtime } from "../../platform/runtime.ts";
import { ProviderError } from "../provider_error.ts";
import type { HttpExchange } from "./http_exchange.ts";

/** Enough to understand an error. */
const MAX_ERROR_BODY_BYTES = 8192;
/** Limit for reading an error body, while the fallback waits. */
const ERROR_BODY_TIMEOUT_MS = 2000;

/** Reads a whole body as text; throws a `ProviderError` if it is incomplete or too long. */
export async function readResponseBody(exchange: HttpExchange, maxBytes: number): Promise<string> {
  const { text, ended } = collectText(exchange, maxBytes);
  const error = await ended;
  if (error !== undefined) throw error;
  return text();
}

/** Reads the start of a body as text, as far as it arrives in time, and closes the connection. */
export async function readErrorBody(
  exchange: HttpExchange,
  runtime: Pick<Runtime, "sleep">,
): Promise<string> {
  const done = new AbortController();
  const { text, ended } = collectText(exchange, MAX_ERROR_BODY_BYTES);
  const timeout = runtime.sleep(ERROR_BODY_TIMEOUT_MS, done.signal).catch(() => {});
  await Promise.race([ended, timeout]);
  done.abort();
  exchange.destroy();
  return text();
}

/** Collects up to `maxBytes`; a longer body ends the exchange with an error. */
function collectText(exchange: HttpExchange, maxBytes: number) {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  exchange.listen({
    onChunk: (chunk) => {
      text += decoder.decode(chunk.subarray(0, left), { stream: true });
      if (chunk.byteLength > left) {
        const message = "the model provider's answer is too long";
        exchange.destroy(new ProviderError("provider_error", message));
      }
      left = Math.max(0, left - chunk.byteLength);
    },
    onEnd: resolve,
  });
  return { text: () => text, ended };
}
