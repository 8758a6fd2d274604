import { removeIfExists } from "../process/data_dir.ts";
import { manifestFileOf, readManifest, secretsFileOf } from "./backup_manifest.ts";

const NAME = /^agent-chat-\d{8}T\d{9}Z\.sqlite3$/;
/** Of `partialFileOf`, with what SQLite may leave beside it. */
const PARTIAL = /^agent-chat-\d{8}T\d{9}Z\.sqlite3\.[0-9a-f-]{36}\.partial(-journal|-wal|-shm)?$/;
const DAY_MS = 24 * 3_600_000;

export interface KeptBackup {
  file: string;
  /** Milliseconds. */
  at: number;
}

/** A moment as `20260115T103000123Z`. */
export function compactTime(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, "");
}

/** The file that becomes a backup. No other backup has it, also one to the same target. */
export function partialFileOf(target: string): string {
  return `${target}.${crypto.randomUUID()}.partial`;
}

/** The name of a backup of this moment. */
export function backupName(now: number): string {
  return `agent-chat-${compactTime(now)}.sqlite3`;
}

/**
 * The whole backups of an installation in a folder, latest first. Other files are left out, and so are
 * backups of other installations.
 */
export async function listBackups(
  folder: string,
  installation: string | undefined,
): Promise<KeptBackup[]> {
  const found: KeptBackup[] = [];
  for await (const name of namesIn(folder)) {
    if (!NAME.test(name)) continue;
    const file = `${folder}/${name}`;
    const manifest = await readManifest(file).catch(() => undefined);
    if (manifest === undefined || manifest.installation !== installation) continue;
    found.push({ file, at: Date.parse(manifest.createdAt) });
  }
  return found.sort((a, b) => b.at - a.at);
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of Deno.readDir(folder)) yield name;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

export interface Pruned {
  deleted: string[];
  /** What could not be deleted, with the reason. */
  failed: { file: string; error: unknown }[];
}

/**
 * Deletes all but the latest `keep` backups of an installation, and what interrupted backups left a day ago
 * or earlier. The one that was just made stays, also if others have later times: a clock may have been wrong.
 */
export async function pruneBackups(
  folder: string,
  { installation, keep, made, now }: {
    installation: string | undefined;
    keep: number;
    /** The backup that was just made. */
    made: string;
    /** Milliseconds. */
    now: number;
  },
): Promise<Pruned> {
  const others = (await listBackups(folder, installation)).filter(({ file }) => file !== made);
  const old = others.slice(Math.max(0, keep - 1)).map(({ file }) => file);
  const pruned: Pruned = { deleted: [], failed: [] };
  for (const file of [...old, ...await listInterrupted(folder, now)]) {
    try {
      // The manifest first: without it, what is left is no backup.
      for (const path of [manifestFileOf(file), secretsFileOf(file), file]) {
        await removeIfExists(path);
      }
      pruned.deleted.push(file);
    } catch (error) {
      pruned.failed.push({ file, error });
    }
  }
  return pruned;
}

/** Files of backups that were killed. One that is being written is younger. */
async function listInterrupted(folder: string, now: number): Promise<string[]> {
  const found: string[] = [];
  for await (const name of namesIn(folder)) {
    if (!PARTIAL.test(name)) continue;
    const info = await Deno.stat(`${folder}/${name}`).catch(() => undefined);
    const isOld = info?.mtime != null && now - info.mtime.getTime() > DAY_MS;
    if (isOld) found.push(`${folder}/${name}`);
  }
  return found.sort();
}
