import { basename, dirname } from "node:path";
import type { Config } from "../config/config.ts";
import { shellQuote } from "../../platform/shell_quote.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  makePrivateDir,
  makePrivateFile,
  readSecrets,
  removeIfExists,
  secretsFile,
  withStoredSecrets,
  writePrivateFile,
  writeSecrets,
} from "../process/data_dir.ts";
import { lockStore } from "../process/open_store.ts";
import { compactTime } from "./backup_folder.ts";
import type { Secrets } from "./sealed_secrets.ts";
import { checkpointStoreFile, StoreFile } from "./store_file.ts";
import { BackupRejectedError, requireSecretsOf } from "./require_secrets.ts";
import { verifyBackup } from "./verify_backup.ts";

export interface RestoreOptions {
  file: string;
  config: Config;
  /** Of the backup's file of secrets. Without it, the installation must have the secrets already. */
  passphrase?: string | undefined;
  runtime: Pick<Runtime, "now">;
}

export interface Restored {
  entries: number;
  /** The store's file. */
  store: string;
  /** Where the store that was there before is now; `undefined` if there was none. */
  replaced: string | undefined;
  /** Where the backup's secrets are now, if it brought them. */
  secrets: string | undefined;
  /** A file with variables that the environment must have, if it brought more than one of a kind. */
  environment: string | undefined;
}

/**
 * Puts a backup in the place of a stopped service's store. Everything is checked before anything changes,
 * and the new file takes the old one's name in one step, so that a crash leaves one of the two, whole. The
 * old store stays in a folder beside. Throws `StoreInUseError` while a service runs on the store.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, config, passphrase, runtime } = options;
  if (config.kvUrl !== undefined || config.onDenoDeploy) {
    throw new Error("the store is not a local file: see deno task copy-store");
  }
  await rejectLog(file);
  const verified = await verifyBackup(file, { passphrase });
  const lock = await lockStore(config);
  try {
    if (lock.file === undefined) throw new Error("the store is not a local file");
    const secrets = await chooseSecrets(options, verified.secrets);
    using store = await StoreFile.open(file);
    requireSecretsOf(store, secrets.values);
    const incoming = `${lock.file}.restoring`;
    await copyPrivate(file, incoming);
    const replaced = await keepReplaced(lock.file, { config, runtime });
    const written = secrets.isNew ? await keepSecrets(config.dataDir, secrets.values) : undefined;
    // A log that is left beside it would be applied to the new file.
    for (const log of logsOf(lock.file)) await removeIfExists(log);
    await Deno.rename(incoming, lock.file);
    await syncFolder(dirname(lock.file));
    return {
      ...{ entries: verified.entries, store: lock.file, replaced },
      ...{ secrets: written?.file, environment: written?.environment },
    };
  } finally {
    lock.release();
  }
}

/** A copy that was made by hand may have commits that are in its log only. */
async function rejectLog(file: string): Promise<void> {
  const log = await Deno.stat(`${file}-wal`).catch(() => undefined);
  if (log === undefined || log.size === 0) return;
  throw new BackupRejectedError(
    `${file}-wal has a part of it: make one file of both with deno task backup --store ${file}`,
  );
}

/** The secrets that the service will use afterwards. */
async function chooseSecrets(
  { config }: RestoreOptions,
  fromBackup: Secrets | undefined,
): Promise<{ values: Secrets; isNew: boolean }> {
  const { hmacSecrets, encryptionKeys } = config;
  if (hmacSecrets !== undefined && encryptionKeys !== undefined) {
    return { values: { hmacSecrets, encryptionKeys }, isNew: false };
  }
  if (fromBackup !== undefined) {
    const values = {
      hmacSecrets: hmacSecrets ?? fromBackup.hmacSecrets,
      encryptionKeys: encryptionKeys ?? fromBackup.encryptionKeys,
    };
    return { values, isNew: true };
  }
  const kept = await readSecrets(config.dataDir);
  if (kept === undefined) {
    throw new BackupRejectedError(
      "this installation has no secrets, and without those of the backup it could not read it: set " +
        "BACKUP_PASSPHRASE",
    );
  }
  return { values: withStoredSecrets(config, kept), isNew: false };
}

/** `secrets.json` takes one secret of each kind; where the backup has more, the environment needs all. */
async function keepSecrets(
  dataDir: string,
  { hmacSecrets, encryptionKeys }: Secrets,
): Promise<{ file: string; environment: string | undefined }> {
  const [hmacSecret, encryptionKey] = [hmacSecrets[0]!, encryptionKeys[0]!];
  await writeSecrets(dataDir, { hmacSecret, encryptionKey });
  const file = secretsFile(dataDir);
  if (hmacSecrets.length === 1 && encryptionKeys.length === 1) {
    return { file, environment: undefined };
  }
  const environment = `${dataDir}/restored-secrets.env`;
  const lines = [
    `API_KEY_HMAC_SECRET=${quote(hmacSecrets.join(","))}`,
    `ENCRYPTION_KEY=${quote(encryptionKeys.join(","))}`,
  ];
  await writePrivateFile(environment, lines.join("\n") + "\n");
  return { file, environment };
}

/** Only what needs it: not everything that reads such files knows quotes. */
const quote = (value: string) => /^[\w+/=,.:-]+$/.test(value) ? value : shellQuote(value);

async function copyPrivate(from: string, to: string): Promise<void> {
  await removeIfExists(to);
  await makePrivateFile(to);
  try {
    using source = await Deno.open(from);
    using target = await Deno.open(to, { write: true });
    await source.readable.pipeTo(target.writable, { preventClose: true });
    await target.sync();
  } catch (error) {
    // A full disk would stay full, and the service could not start.
    await Deno.remove(to).catch(() => {});
    throw error;
  }
}

/**
 * Keeps the store that is there, with its secrets, in a folder, and leaves everything in place. Returns the
 * folder; `undefined` if there was no store, whose file the lock has just made, empty.
 */
async function keepReplaced(
  store: string,
  { config, runtime }: { config: Config; runtime: Pick<Runtime, "now"> },
): Promise<string | undefined> {
  if ((await Deno.stat(store)).size === 0) return undefined;
  const folder = `${dirname(store)}/replaced-${compactTime(runtime.now())}`;
  await makePrivateDir(folder);
  const kept = (path: string) => `${folder}/${basename(path)}`;
  // A damaged store cannot merge its log: then the log is kept beside it.
  await checkpointStoreFile(store).catch(() => {});
  for (const log of logsOf(store)) await copyIfExists(log, kept(log));
  await Deno.link(store, kept(store)).catch(() => Deno.copyFile(store, kept(store)));
  const secrets = secretsFile(config.dataDir);
  await copyIfExists(secrets, kept(secrets));
  return folder;
}

/** The files in which SQLite has what is not yet in the store's own. */
const logsOf = (store: string) => [`${store}-wal`, `${store}-shm`];

async function copyIfExists(from: string, to: string): Promise<void> {
  await Deno.copyFile(from, to).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

async function syncFolder(path: string): Promise<void> {
  using folder = await Deno.open(path);
  await folder.sync();
}
