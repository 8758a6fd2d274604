import type { Exchange } from "./exchange.ts";
import { VendorFault } from "./vendor_fault.ts";

/** The whole body of an answer as text; throws a `VendorFault` for one that breaks off or never ends. */
export async function readAnswer(
  exchange: Exchange,
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
      exchange.destroy(new VendorFault("provider_error", message));
    },
    onEnd: (fault) => fault === undefined ? whole.resolve() : whole.reject(fault),
  });
  await whole.promise;
  return text + decoder.decode();
}
