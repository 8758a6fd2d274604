import type { DatabaseSync } from "node:sqlite";
import { deserialize } from "node:v8";
import { decodeKey, encodeTextKey } from "./tuple_key.ts";

/** Encodings of values in the files of Deno KV. */
const V8 = 1;
const LE64 = 2;
const BYTES = 3;

/** An entry as `Deno.Kv` returns it, and when it expires, in milliseconds. */
export interface StoredEntry {
  key: Deno.KvKey;
  value: unknown;
  expiresAt?: number;
  /** `expiresAt` is the latest time at which it may expire. */
  isLatest?: true;
}

/**
 * Copies a store's file as it is at one moment, while other processes write it, into an empty file or a
 * new one. What is deleted is not copied. Needs all of Deno's permissions.
 */
export async function copyStoreFile(from: string, to: string): Promise<void> {
  using database = await openDatabase(from);
  database.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`);
}

/** Moves what the write-ahead log of a closed store has into the file itself. */
export async function checkpointStoreFile(path: string): Promise<void> {
  using database = await openDatabase(path, { readOnly: false });
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** A store's file that is only read. */
export class StoreFile implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Throws if the file is not the store of a service. */
  static async open(path: string): Promise<StoreFile> {
    // SQLite would make a new file.
    await Deno.stat(path);
    return new StoreFile(await openDatabase(path));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** What is wrong with the pages of the file, if anything. */
  findDamage(): string | undefined {
    const [row] = this.#database.prepare("PRAGMA integrity_check(1)").all();
    const result = String(row?.integrity_check);
    return result === "ok" ? undefined : result;
  }

  count(): number {
    return Number(this.#database.prepare("SELECT count(*) AS n FROM kv").get()!.n);
  }

  /** The value under a key of texts; `undefined` if there is none. */
  get(key: readonly string[]): unknown {
    const sql = "SELECT v, v_encoding FROM kv WHERE k = ?";
    const row = this.#database.prepare(sql).get(encodeTextKey(key));
    return row && decodeStored(row.v as Uint8Array<ArrayBuffer>, Number(row.v_encoding));
  }

  /** All entries in the order of their keys, also those that have expired. */
  *entries(): Generator<StoredEntry> {
    const sql = "SELECT k, v, v_encoding, expiration_ms FROM kv ORDER BY k";
    for (const row of this.#database.prepare(sql).iterate()) {
      const key = decodeKey(row.k as Uint8Array);
      const value = decodeStored(row.v as Uint8Array<ArrayBuffer>, Number(row.v_encoding));
      const expiresAt = Number(row.expiration_ms);
      yield expiresAt > 0 ? { key, value, expiresAt } : { key, value };
    }
  }
}

function decodeStored(bytes: Uint8Array<ArrayBuffer>, encoding: number): unknown {
  if (encoding === BYTES) return bytes;
  if (encoding === V8) return deserialize(bytes);
  if (encoding !== LE64) throw new Error(`a value has the unknown encoding ${encoding}`);
  return new Deno.KvU64(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
}

/** Loads SQLite only when it is needed. */
async function openDatabase(
  path: string,
  { readOnly = true }: { readOnly?: boolean } = {},
): Promise<DatabaseSync & Disposable> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly });
  try {
    database.exec("PRAGMA busy_timeout = 10000");
    database.prepare("SELECT 1 FROM kv LIMIT 1").all();
  } catch (cause) {
    database.close();
    throw new Error(`${path} is not the store of a service`, { cause });
  }
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}
