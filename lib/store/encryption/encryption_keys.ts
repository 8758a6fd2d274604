import { z } from "zod";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

const recordSchema = z.object({ v: z.literal(1), ids: z.array(z.string()) });

/** The store may hold values under encryption keys that the process does not have. */
export class MissingEncryptionKeyError extends Error {
  override name = "MissingEncryptionKeyError";
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`the store holds values under encryption keys that are missing: ${ids.join(", ")}`);
    this.ids = ids;
  }
}

/**
 * Notes that a process encrypts under the first of `ids`. Throws `MissingEncryptionKeyError` when the
 * store may hold values under a key that is not among them: it is better not to start than to show
 * what cannot be read; `allowMissing` starts all the same.
 */
export async function registerEncryptionKeys(
  kv: Deno.Kv,
  ids: readonly string[],
  { allowMissing = false } = {},
): Promise<void> {
  await retryUntilCommitted(async () => {
    const entry = await kv.get(keys.encryptionKeys());
    const used = parseRecord(recordSchema, entry)?.ids ?? [];
    const missing = used.filter((id) => !ids.includes(id));
    if (missing.length > 0 && !allowMissing) throw new MissingEncryptionKeyError(missing);
    if (used.includes(ids[0]!)) return true;
    const change = kv.atomic().check(entry).set(entry.key, { v: 1, ids: [...used, ids[0]!] });
    return (await change.commit()).ok || undefined;
  }, { what: "encryption keys" });
}

/** The ids of the keys under which there may be values. */
export async function readEncryptionKeyIds(kv: Deno.Kv): Promise<string[]> {
  return parseRecord(recordSchema, await kv.get(keys.encryptionKeys()))?.ids ?? [];
}

/** Notes that no value is under the keys `gone` any more. */
export async function retireEncryptionKeys(kv: Deno.Kv, gone: readonly string[]): Promise<void> {
  await retryUntilCommitted(async () => {
    const entry = await kv.get(keys.encryptionKeys());
    const used = parseRecord(recordSchema, entry)?.ids ?? [];
    const ids = used.filter((id) => !gone.includes(id));
    return (await kv.atomic().check(entry).set(entry.key, { v: 1, ids }).commit()).ok || undefined;
  }, { what: "encryption keys" });
}
