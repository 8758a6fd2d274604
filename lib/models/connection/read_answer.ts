import type { HttpExchange } from "./exchange.ts";
import { ProviderError } from "./vendor_fault.ts";

/** The whole body of an answer as text; throws a `ProviderError` for one that breaks off or never ends. */
export async function readResponseBody(
  exchange: HttpExchange,
  { mostBytes }: { mostBytes: number },
): Promise<string> {
  const whole = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  let text = "";
  let left = mostBytes;
  exchange.listen({
    onChunk: (chunk) => {
      left -= chunk.byteLength;
      if (left >= 0) {
        text += decoder.decode(chunk, { stream: true });
        return;
      }
      const message = "the model vendor's answer is too long";
      exchange.destroy(new ProviderError("provider_error", message));
    },
    onEnd: (fault) => fault === undefined ? whole.resolve() : whole.reject(fault),
  });
  await whole.promise;
  return text + decoder.decode();
}
