import type { DatabaseSync } from "node:sqlite";
import { deserialize } from "node:v8";
import { encodeValue } from "../../store/values/value_codec.ts";

/** Encodings of values in Deno KV files, from `backend.rs` of `denokv_sqlite`. */
const V8 = 1;
const BYTES = 3;
const BATCH_ROWS = 500;

/** Converts values serialized with V8; their expiry stays. No process may have the store open. */
export function convertLegacyValues(database: DatabaseSync): number {
  const rows = database.prepare(
    "SELECT k, v FROM kv WHERE v_encoding = ? AND k > ? ORDER BY k LIMIT ?",
  );
  const update = database.prepare("UPDATE kv SET v = ?, v_encoding = ? WHERE k = ?");
  let changed = 0;
  for (let last = new Uint8Array();;) {
    const batch = rows.all(V8, last, BATCH_ROWS) as { k: Uint8Array<ArrayBuffer>; v: Uint8Array }[];
    if (batch.length === 0) return changed;
    database.exec("BEGIN");
    for (const { k, v } of batch) {
      const encoded = tryEncode(v);
      if (encoded === undefined) continue;
      update.run(encoded, BYTES, k);
      changed++;
    }
    database.exec("COMMIT");
    last = batch.at(-1)!.k;
  }
}

/** `undefined` for a value that a newer version of Deno wrote. */
function tryEncode(serialized: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  let value: unknown;
  try {
    value = deserialize(serialized);
  } catch {
    return undefined;
  }
  return encodeValue(value);
}

/** The error of `VACUUM`, which attaches a database, without Deno's permission for it. */
const NOT_PERMITTED = "too many attached databases";

/**
 * Rewrites a closed SQLite file without unused pages, which hold deleted values until they are
 * overwritten, and converts values of earlier releases. Needs as much free disk space as the file, and
 * all of Deno's permissions; throws `Deno.errors.NotCapable` without them.
 */
export async function compactFile(path: string): Promise<void> {
  // Loaded only when needed.
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
