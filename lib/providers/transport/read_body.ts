import type { Runtime } from "../../platform/runtime.ts";
import { ProviderError } from "../provider_error.ts";
import type { HttpExchange } from "./http_exchange.ts";

/** Enough to understand an error. */
const MAX_ERROR_BODY_BYTES = 8192;
/** Limit for reading an error body, while the fallback waits. */
const ERROR_BODY_TIMEOUT_MS = 2000;

/** Reads a whole body as text; throws a `ProviderError` if it is incomplete or too long. */
export async function readResponseBody(exchange: HttpExchange, maxBytes: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  exchange.listen({
    onChunk: (chunk) => {
      left -= chunk.byteLength;
      if (left >= 0) {
        text += decoder.decode(chunk, { stream: true });
        return;
      }
      const message = "the model provider's answer is too long";
      exchange.destroy(new ProviderError("provider_error", message));
    },
    onEnd: (error) => error === undefined ? resolve() : reject(error),
  });
  await promise;
  return text + decoder.decode();
}

/** Reads the start of a body as text, as far as it arrives in time, and closes the connection. */
export async function readErrorBody(
  exchange: HttpExchange,
  runtime: Pick<Runtime, "sleep">,
): Promise<string> {
  const decoder = new TextDecoder();
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = new AbortController();
  let text = "";
  let left = MAX_ERROR_BODY_BYTES;
  exchange.listen({
    onChunk: (chunk) => {
      text += decoder.decode(chunk.subarray(0, left), { stream: true });
      left = Math.max(0, left - chunk.byteLength);
      if (left === 0) exchange.destroy();
    },
    onEnd: () => resolve(),
  });
  const timeout = runtime.sleep(ERROR_BODY_TIMEOUT_MS, done.signal).catch(() => {});
  await Promise.race([promise, timeout]);
  done.abort();
  exchange.destroy();
  return text;
}
