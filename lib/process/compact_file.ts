/**
 * Rewrites a closed SQLite file without its unused pages, in which deleted values stand until they are
 * overwritten. Needs as much free disk as the file takes.
 */
export async function compactFile(path: string): Promise<void> {
  // Only whoever compacts pays for loading it.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    database.exec("VACUUM");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}
