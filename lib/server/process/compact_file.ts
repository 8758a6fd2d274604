import type { DatabaseSync } from "node:sqlite";
import { deserialize } from "node:v8";
import { encodeValue } from "../../store/values/value_codec.ts";

/** How a value is stored, in the files of Deno KV. Source: `denokv_sqlite`, `backend.rs`. */
const V8 = 1;
const BYTES = 3;
const BATCH_ROWS = 500;

/**
 * Converts values that earlier releases wrote with V8's serialization to the stored format, and keeps
 * their expiry. For the file of a store that no process has open; returns how many values it changed.
 */
export function convertLegacyValues(database: DatabaseSync): number {
  const rows = database.prepare(
    "SELECT k, v FROM kv WHERE v_encoding = ? AND k > ? ORDER BY k LIMIT ?",
  );
  const update = database.prepare("UPDATE kv SET v = ?, v_encoding = ? WHERE k = ?");
  let changed = 0;
  for (let last = new Uint8Array();;) {
    const step = rows.all(V8, last, BATCH_ROWS) as { k: Uint8Array<ArrayBuffer>; v: Uint8Array }[];
    if (step.length === 0) return changed;
    database.exec("BEGIN");
    for (const { k, v } of step) {
      const encoded = tryEncode(v);
      if (encoded === undefined) continue;
      update.run(encoded, BYTES, k);
      changed++;
    }
    database.exec("COMMIT");
    last = step.at(-1)!.k;
  }
}

/** `undefined` for a value that a newer Deno wrote: this Deno cannot read it. */
function tryEncode(serialized: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  let value: unknown;
  try {
    value = deserialize(serialized);
  } catch {
    return undefined;
  }
  return encodeValue(value);
}

/** What SQLite says where Deno does not let it attach a database, as `VACUUM` does. */
const NOT_PERMITTED = "too many attached databases";

/**
 * Rewrites a closed SQLite file without its unused pages, in which deleted values stand until they are
 * overwritten. Values of earlier releases are then in the format that every version of Deno reads. Needs as much free disk as the file takes, and all of Deno's permissions: throws
 * `Deno.errors.NotCapable` without them.
 */
export async function compactFile(path: string): Promise<void> {
  // Only whoever compacts pays for loading it.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    convertLegacyValues(database);
    database.exec("VACUUM");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith(NOT_PERMITTED)) throw error;
    throw new Deno.errors.NotCapable("rewriting the store's file requires all permissions (-A)");
  } finally {
    database.close();
  }
}
