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

/** Keys that one step deletes: it takes 80 KB of keys, of about 150 bytes each. */
const MAX_KEYS_PER_DELETION = 400;
/** Parts that one step writes: it takes 800 KB, and a part is 48 KiB. */
const MAX_CHUNKS_PER_STEP = 15;

/** An entry that must not have changed. */
export interface Guard {
  key: Deno.KvKey;
  versionstamp: string | null;
}

/**
 * Writes parts in as many steps as they take, each only while `guard` holds. Answers whether it held to
 * the end: if not, what has been written must be cleared away.
 */
export async function writeChunks(
  kv: Deno.Kv,
  parts: readonly Uint8Array[],
  options: { guard: Guard; keyOf: (n: number) => Deno.KvKey },
): Promise<boolean> {
  for (let at = 0; at < parts.length; at += MAX_CHUNKS_PER_STEP) {
    const step = kv.atomic().check(options.guard);
    parts.slice(at, at + MAX_CHUNKS_PER_STEP).forEach((part, n) =>
      step.set(options.keyOf(at + n), part)
    );
    if (!(await step.commit()).ok) return false;
  }
  return true;
}

/** Deletes every entry under the prefixes, those that `keep` excepted, in as many steps as it takes. */
export async function deletePrefixes(
  kv: Deno.Kv,
  prefixes: readonly Deno.KvKey[],
  keep: (key: Deno.KvKey) => boolean = () => false,
): Promise<void> {
  for (const prefix of prefixes) {
    const gone: Deno.KvKey[] = [];
    // Small batches: the values are parts of 48 KiB.
    for await (const { key } of kv.list({ prefix }, { batchSize: 20 })) {
      if (!keep(key)) gone.push(key);
    }
    while (gone.length > 0) await deleteKeys(kv, gone.splice(0, MAX_KEYS_PER_DELETION));
  }
}

async function deleteKeys(kv: Deno.Kv, gone: readonly Deno.KvKey[]): Promise<void> {
  const step = kv.atomic();
  for (const key of gone) step.delete(key);
  await step.commit();
}
