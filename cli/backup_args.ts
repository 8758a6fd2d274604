import { parseOptions, rejectExtra, UsageError } from "./arguments.ts";

export interface BackupArgs {
  file?: string | undefined;
  store?: string | undefined;
  keep?: number | undefined;
  withoutSecrets: boolean;
  /** Called by the service itself, with all settings in the environment. */
  scheduled: boolean;
}

export const BACKUP_HELP = `Copies the store as it is at one moment, while the service runs or not.

  deno task backup [FILE] [options]

Without FILE, the backup is made in BACKUP_DIR, with the time in its name. It consists of three files:
  FILE           the store, without what has been deleted
  FILE.json      its size, hash and number of entries
  FILE.secrets   the secrets of the installation, encrypted under BACKUP_PASSPHRASE

Options:
  --without-secrets   make no file of secrets; keep secrets.json, or the variables, somewhere else
  --keep N            afterwards, delete all backups in the folder but the latest N
  --store FILE        the file to copy, such as that of a denokv server; default: the service's

Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/** Parses the arguments of `deno task backup`. Throws `UsageError`. */
export function parseBackupArgs(words: string[]): BackupArgs | "help" {
  const { values, positionals } = parseOptions(words, {
    store: { type: "string" },
    keep: { type: "string" },
    "without-secrets": { type: "boolean" },
    scheduled: { type: "boolean" },
  });
  const [file, ...rest] = positionals;
  if (values.help || file === "help") return "help";
  rejectExtra(rest);
  const { store, "without-secrets": withoutSecrets = false, scheduled = false } = values;
  const keep = values.keep === undefined ? undefined : parseKeep(values.keep);
  if (keep !== undefined && file !== undefined) {
    throw new UsageError("--keep is for backups in BACKUP_DIR: leave out the file");
  }
  return { file, store, keep, withoutSecrets, scheduled };
}

function parseKeep(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError("--keep takes a number of at least 1");
}
