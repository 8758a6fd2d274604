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
 * Streams the body of a response, decoded. `maxBytes` bounds the decoded bytes, so that a compression
 * bomb is not unpacked further. Requests do not accept encodings, but one layer of them is decoded for
 * servers that compress anyway. `seen` receives byte counts of the wire. Throws
 * `tool_response_too_large`.
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
    throw new EgressError("tool_unreachable", "the response has an unsupported content encoding");
  }
  // Errors reach the reader through the decoder.
  pipeline(Readable.from(wire), decoder, () => {});
  yield* coalesceChunks(decoder, { maxBytes });
}

async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  seen: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    seen(chunk.length);
    yield chunk;
  }
}
