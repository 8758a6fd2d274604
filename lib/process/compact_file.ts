import { convertLegacyValues } from "./encode_old_values.ts";

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
