import { z } from "zod";
import { keys } from "../keys/keys.ts";
import { parseRecord, updateRecord } from "../values/record.ts";

const recordSchema = z.object({ v: z.literal(1), ids: z.array(z.string()) });
const idsLocation = { key: keys.encryptionKeys(), schema: recordSchema, what: "encryption keys" };

/** The store may hold values sealed with encryption keys that the process does not have. */
export class MissingEncryptionKeyError extends Error {
  override name = "MissingEncryptionKeyError";
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`the store holds values under encryption keys that are missing: ${ids.join(", ")}`);
    this.ids = ids;
  }
}

/**
 * Records that a process encrypts with the first of `ids`. Throws `MissingEncryptionKeyError` if the store
 * may hold values sealed with another key than these: not starting is better than showing unreadable
 * content. `allowMissing` starts anyway.
 */
export async function registerEncryptionKeys(
  kv: Deno.Kv,
  ids: readonly string[],
  { allowMissing = false } = {},
): Promise<void> {
  await updateRecord(kv, idsLocation, (record, save) => {
    const used = record?.ids ?? [];
    const missing = used.filter((id) => !ids.includes(id));
    if (missing.length > 0 && !allowMissing) throw new MissingEncryptionKeyError(missing);
    if (!used.includes(ids[0]!)) save({ v: 1, ids: [...used, ids[0]!] });
  });
}

/** The ids of the keys that values may be sealed with. */
export async function readEncryptionKeyIds(kv: Deno.Kv): Promise<string[]> {
  return parseRecord(recordSchema, await kv.get(idsLocation.key))?.ids ?? [];
}

/** Records that no value is sealed with these keys. */
export async function retireEncryptionKeys(kv: Deno.Kv, retired: readonly string[]): Promise<void> {
  await updateRecord(kv, idsLocation, (record, save) => {
    save({ v: 1, ids: (record?.ids ?? []).filter((id) => !retired.includes(id)) });
  });
}
