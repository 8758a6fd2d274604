import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { EgressError } from "./egress_error.ts";
import { coalesceChunks } from "./coalesce_chunks.ts";

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * The body of an answer as it arrives, decoded, of at most `maxBytes` bytes after the decoding as
 * before it: a bomb is cut at the bound and never unpacked further. Nothing compressed was asked
 * for; a server that compresses all the same is understood, twice over it is not. `seen` is told
 * of the bytes on the wire. Throws `tool_response_too_large`.
 */
export async function* decodeBody(
  { body, encoding }: { body: AsyncIterable<Uint8Array>; encoding: string | undefined },
  { maxBytes, seen }: { maxBytes: number; seen: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  const wire = countBytes(body, seen);
  const name = (encoding ?? "identity").trim().toLowerCase();
  if (name === "identity" || name === "") return yield* wire;
  const decoder = DECODERS.get(name)?.();
  if (decoder === undefined) {
    throw new EgressError("tool_unreachable", "the answer is encoded in a way that was not asked");
  }
  // An error travels through the decoder to whoever reads it, so there is nothing to do here.
  pipeline(Readable.from(wire), decoder, () => {});
  yield* coalesceChunks(decoder, { maxBytes });
}

async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  seen: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    seen(piece.length);
    yield piece;
  }
}
