import { createHash, type Hash } from "node:crypto";
import { keys } from "../../../store/keys/keys.ts";
import { encodeValue } from "../../../store/values/value_codec.ts";
import type { StoredEntry } from "../store_file.ts";
import { compareKeys } from "./compare_keys.ts";
import { hasExpired, toStored } from "./copy_entries.ts";
import { type CopySource, kvSource } from "./copy_source.ts";

/** The two stores are not the same. */
export class StoresDifferError extends Error {
  override name = "StoresDifferError";
}

export interface StoreComparison {
  /** Entries that both have. */
  entries: number;
  /** Of their keys and values, lowercase hex; both stores have the same. */
  sha256: string;
  /** Entries that only one of them has by now, because they have expired. */
  expired: number;
}

/** Reads both stores whole. Throws `StoresDifferError`, which names the first entry that differs. */
export async function compareStores(
  source: CopySource,
  { target, now }: { target: Deno.Kv; now: () => number },
): Promise<StoreComparison> {
  const hashes: [Hash, Hash] = [createHash("sha256"), createHash("sha256")];
  const result = { entries: 0, expired: 0 };
  for await (const [left, right] of pairs(source.entries(), kvSource(target, now).entries())) {
    if (left !== undefined && right !== undefined) {
      result.entries++;
      hash(hashes[0], left);
      hash(hashes[1], right);
      continue;
    }
    const only = (left ?? right)!;
    if (isProgress(only)) continue;
    if (!mayExpire(only, now())) {
      const where = left === undefined ? "the source does not have" : "the target does not have";
      throw new StoresDifferError(`${where} an entry of ${String(only.key[0])}`);
    }
    result.expired++;
  }
  const [sha256, other] = hashes.map((one) => one.digest("hex"));
  if (sha256 !== other) throw new StoresDifferError("an entry has different values in both stores");
  return { ...result, sha256: sha256! };
}

/** Such an entry can be deleted in one of the stores while both are read. */
function mayExpire(entry: StoredEntry, now: number): boolean {
  return entry.isLatest === true || hasExpired(entry, now);
}

function isProgress({ key }: StoredEntry): boolean {
  return compareKeys(key, keys.installation("store_copy")) === 0;
}

function hash(into: Hash, entry: StoredEntry): void {
  const stored = toStored(entry);
  const bytes = stored instanceof Uint8Array ? stored : encodeValue(String(stored));
  const key = encodeValue(entry.key);
  const lengths = new Uint32Array([key.length, bytes.length]);
  into.update(new Uint8Array(lengths.buffer)).update(key).update(bytes);
}

/** Entries of both with equal keys together, and those of one alone. */
async function* pairs(
  left: AsyncGenerator<StoredEntry>,
  right: AsyncGenerator<StoredEntry>,
): AsyncGenerator<[StoredEntry | undefined, StoredEntry | undefined]> {
  let [a, b] = await Promise.all([left.next(), right.next()]);
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compareKeys(a.value.key, b.value.key);
    yield [order <= 0 ? a.value : undefined, order >= 0 ? b.value : undefined];
    [a, b] = await Promise.all([
      order <= 0 ? left.next() : a,
      order >= 0 ? right.next() : b,
    ]);
  }
}
