import type { IncomingMessage } from "node:http";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { EgressError } from "./egress_error.ts";

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * The body of `message` as it arrives, decoded, of at most `maxBytes` bytes before and after the
 * decoding: a bomb is cut at the bound and never unpacked further. Nothing compressed was asked
 * for; a server that compresses all the same is understood, twice over it is not. `seen` is told
 * of the bytes on the wire. Throws `tool_response_too_large`.
 */
export async function* readBody(
  message: IncomingMessage,
  { maxBytes, seen }: { maxBytes: number; seen: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  const wire = bounded(message, { maxBytes, seen });
  const encoding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return yield* wire;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined) {
    throw new EgressError("tool_unreachable", "the answer is encoded in a way that was not asked");
  }
  // An error travels through the decoder to whoever reads it, so there is nothing to do here.
  pipeline(Readable.from(wire), decoder, () => {});
  yield* bounded(decoder, { maxBytes, seen: () => {} });
}

async function* bounded(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, seen }: { maxBytes: number; seen: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of source) {
    seen(chunk.length);
    const room = maxBytes - total;
    total += chunk.length;
    if (chunk.length > room) {
      yield chunk.subarray(0, room);
      const message = `the answer is larger than ${maxBytes} bytes`;
      throw new EgressError("tool_response_too_large", message);
    }
    yield chunk;
  }
}
