import { z } from "zod";

/** A value may be 64 KiB once serialised; this leaves room and keeps batches small. */
const PART_BYTES = 48 * 1024;
/** What one `getMany` takes. */
const KEYS_A_READ = 10;

/** Bytes in a stored record. */
export const bytesSchema = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** A part of bytes that belongs to nobody else. */
export type Part = Uint8Array<ArrayBuffer>;

/** Bytes as values that the store takes; at least one. */
export function splitParts(bytes: Uint8Array): [Part, ...Part[]] {
  const parts: [Part, ...Part[]] = [bytes.slice(0, PART_BYTES)];
  for (let at = PART_BYTES; at < bytes.length; at += PART_BYTES) {
    parts.push(bytes.slice(at, at + PART_BYTES));
  }
  return parts;
}

/** How many bytes they are together. */
export function sizeOfParts(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Parts put together again. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeOfParts(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The parts under `partKeys`, in their order; `undefined` when one of them has gone. */
export async function readParts(
  kv: Deno.Kv,
  partKeys: readonly Deno.KvKey[],
): Promise<Uint8Array[] | undefined> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < partKeys.length; at += KEYS_A_READ) {
    const entries = await kv.getMany<unknown[]>(partKeys.slice(at, at + KEYS_A_READ));
    for (const { value } of entries) {
      if (!(value instanceof Uint8Array)) return undefined;
      parts.push(value);
    }
  }
  return parts;
}
