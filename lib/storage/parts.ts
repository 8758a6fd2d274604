import { z } from "zod";

/** A value may be 64 KiB once serialised; this leaves room and keeps batches small. */
const CHUNK_BYTES = 48 * 1024;
/** What one `getMany` takes. */
const MAX_KEYS_PER_READ = 10;

/** Bytes in a stored record. */
export const bytesSchema = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** A part of bytes that belongs to nobody else. */
export type Chunk = Uint8Array<ArrayBuffer>;

/** Bytes as values that the store takes; at least one. */
export function splitChunks(bytes: Uint8Array): [Chunk, ...Chunk[]] {
  const parts: [Chunk, ...Chunk[]] = [bytes.slice(0, CHUNK_BYTES)];
  for (let at = CHUNK_BYTES; at < bytes.length; at += CHUNK_BYTES) {
    parts.push(bytes.slice(at, at + CHUNK_BYTES));
  }
  return parts;
}

/** How many bytes they are together. */
export function totalBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Parts put together again. */
export function joinChunks(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(totalBytes(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The parts under `partKeys`, in their order; `undefined` when one of them has gone. */
export async function readChunks(
  kv: Deno.Kv,
  partKeys: readonly Deno.KvKey[],
): Promise<Uint8Array[] | undefined> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < partKeys.length; at += MAX_KEYS_PER_READ) {
    const entries = await kv.getMany<unknown[]>(partKeys.slice(at, at + MAX_KEYS_PER_READ));
    for (const { value } of entries) {
      if (!(value instanceof Uint8Array)) return undefined;
      parts.push(value);
    }
  }
  return parts;
}
