import type { StoredEntry } from "../store_file.ts";
import { StoreFile } from "../store_file.ts";
import { compareKeys } from "./compare_keys.ts";
import { expiryOf } from "./expiry_of.ts";

/** Greater than every key of the service, none of which begins with a boolean. */
const END: Deno.KvKey = [true];
const LIST_OPTIONS = { batchSize: 500, consistency: "strong" } as const;

/** A store that is read: its entries in the order of their keys, with their expiry. */
export interface CopySource {
  entries(after?: Deno.KvKey): AsyncGenerator<StoredEntry>;
}

/** Entries of a store's file, which knows when each one expires. */
export function fileSource(file: StoreFile): CopySource {
  return {
    async *entries(after) {
      for (const entry of file.entries()) {
        if (after === undefined || compareKeys(entry.key, after) > 0) yield entry;
      }
    },
  };
}

/**
 * Entries of a KV server. Its protocol has no expiry times, so they follow from the entries: see `expiryOf`.
 */
export function kvSource(kv: Deno.Kv, now: () => number): CopySource {
  return {
    async *entries(after) {
      for await (const { key, value } of listAll(kv, after)) {
        yield { key, value, ...expiryOf({ key, value }, now()) };
      }
    },
  };
}

/** Every entry of a store, after a key. */
export async function* listAll(
  kv: Deno.Kv,
  after?: Deno.KvKey,
): AsyncGenerator<Deno.KvEntry<unknown>> {
  const selector = after === undefined ? { prefix: [] } : { start: after, end: END };
  for await (const entry of kv.list(selector, LIST_OPTIONS)) {
    if (after === undefined || compareKeys(entry.key, after) > 0) yield entry;
  }
}
