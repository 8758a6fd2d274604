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
