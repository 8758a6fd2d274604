import { z } from "zod";

/** A value may be 64 KiB once serialized; this leaves room and keeps batches small. */
const CHUNK_BYTES = 48 * 1024;
/** What one `getMany` takes. */
const MAX_KEYS_PER_READ = 10;
/** One step deletes at most 80 KB of keys, of about 150 bytes each. */
const MAX_KEYS_PER_DELETION = 400;
/** One step writes at most 800 KB. */
const MAX_CHUNKS_PER_STEP = 15;

/** Bytes in a stored record. */
export const bytesSchema = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** A piece of a large value, with a buffer of its own. */
export type Chunk = Uint8Array<ArrayBuffer>;

/** Splits bytes into values that the store takes; at least one. */
export function splitChunks(bytes: Uint8Array): [Chunk, ...Chunk[]] {
  const chunks: [Chunk, ...Chunk[]] = [bytes.slice(0, CHUNK_BYTES)];
  for (let at = CHUNK_BYTES; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(bytes.slice(at, at + CHUNK_BYTES));
  }
  return chunks;
}

/** The length of all chunks together. */
export function totalBytes(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(totalBytes(chunks));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The keys of `count` chunks, numbered from 0. */
export function chunkKeys(count: number, keyOf: (n: number) => Deno.KvKey): Deno.KvKey[] {
  return Array.from({ length: count }, (_, n) => keyOf(n));
}

/** The entries of any number of keys, in their order. */
export async function readMany(
  kv: Deno.Kv,
  wanted: readonly Deno.KvKey[],
): Promise<Deno.KvEntryMaybe<unknown>[]> {
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  for (let at = 0; at < wanted.length; at += MAX_KEYS_PER_READ) {
    reads.push(kv.getMany<unknown[]>(wanted.slice(at, at + MAX_KEYS_PER_READ)));
  }
  return (await Promise.all(reads)).flat();
}

/** The chunks under `wanted`, in their order; `undefined` if one is missing. */
export async function readChunks(
  kv: Deno.Kv,
  wanted: readonly Deno.KvKey[],
): Promise<Uint8Array[] | undefined> {
  const chunks: Uint8Array[] = [];
  // Read in sequence: each read may return half a megabyte.
  for (let at = 0; at < wanted.length; at += MAX_KEYS_PER_READ) {
    for (const { value } of await readMany(kv, wanted.slice(at, at + MAX_KEYS_PER_READ))) {
      if (!(value instanceof Uint8Array)) return undefined;
      chunks.push(value);
    }
  }
  return chunks;
}

/** An entry that must not have changed. */
export type Guard = { key: Deno.KvKey; versionstamp: string | null };

/**
 * Writes chunks in as many steps as needed, each only while `guard` holds. Returns false if it failed;
 * the caller must then delete what was written.
 */
export async function writeChunks(
  kv: Deno.Kv,
  chunks: readonly Uint8Array[],
  { guard, keyOf }: { guard: Guard; keyOf: (n: number) => Deno.KvKey },
): Promise<boolean> {
  for (let at = 0; at < chunks.length; at += MAX_CHUNKS_PER_STEP) {
    const step = kv.atomic().check(guard);
    const batch = chunks.slice(at, at + MAX_CHUNKS_PER_STEP);
    batch.forEach((chunk, n) => step.set(keyOf(at + n), chunk));
    if (!(await step.commit()).ok) return false;
  }
  return true;
}

/** All keys under a prefix. */
export async function listKeys(kv: Deno.Kv, prefix: Deno.KvKey): Promise<Deno.KvKey[]> {
  const found: Deno.KvKey[] = [];
  // Small batches: the values may be chunks of 48 KiB.
  for await (const { key } of kv.list({ prefix }, { batchSize: 20 })) found.push(key);
  return found;
}

/** Deletes any number of keys, in as many steps as needed. */
export async function deleteKeys(kv: Deno.Kv, doomed: readonly Deno.KvKey[]): Promise<void> {
  for (let at = 0; at < doomed.length; at += MAX_KEYS_PER_DELETION) {
    const step = kv.atomic();
    for (const key of doomed.slice(at, at + MAX_KEYS_PER_DELETION)) step.delete(key);
    await step.commit();
  }
}

/** Deletes every entry under the prefixes for which `keep` is false. */
export async function deletePrefixes(
  kv: Deno.Kv,
  prefixes: readonly Deno.KvKey[],
  keep: (key: Deno.KvKey) => boolean = () => false,
): Promise<void> {
  for (const prefix of prefixes) {
    const found = await listKeys(kv, prefix);
    await deleteKeys(kv, found.filter((key) => !keep(key)));
  }
}
