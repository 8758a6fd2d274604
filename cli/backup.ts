/**
 * `deno task backup`: copies the store of a service that may be running. A separate process, because
 * SQLite needs all of Deno's permissions for it, and so that the service does not wait.
 */
import { backupName, pruneBackups } from "../lib/server/backup/backup_folder.ts";
import { type BackupManifest, secretsFileOf } from "../lib/server/backup/backup_manifest.ts";
import { createBackup } from "../lib/server/backup/create_backup.ts";
import type { Secrets } from "../lib/server/backup/sealed_secrets.ts";
import { systemRuntime } from "../lib/platform/runtime.ts";
import { type Config, isStoreInFile, readConfig } from "../lib/server/config/config.ts";
import {
  makePrivateDir,
  readSecrets,
  secretsFile,
  withStoredSecrets,
} from "../lib/server/process/data_dir.ts";
import { pathFromCaller, UsageError } from "./arguments.ts";
import { BACKUP_HELP, type BackupArgs, parseBackupArgs } from "./backup_args.ts";
import { messageOf } from "../lib/platform/message_of.ts";
import { formatBytes } from "./format_bytes.ts";
import { runFileCommand } from "./run_file_command.ts";

if (import.meta.main) {
  const command = { name: "backup", help: BACKUP_HELP, parse: parseBackupArgs, run };
  Deno.exit(await runFileCommand(Deno.args, command));
}

async function run(args: BackupArgs): Promise<void> {
  const config = readConfig(Deno.env.toObject());
  const source = await findSource(args, config);
  const secrets = await chooseSecrets(args, config);
  const target = args.file === undefined
    ? `${config.backupDir}/${backupName(systemRuntime.now())}`
    : pathFromCaller(args.file);
  if (args.file === undefined) await makePrivateDir(config.backupDir);
  const manifest = await createBackup({ source, target, secrets, runtime: systemRuntime });
  const keep = args.scheduled ? config.backupKeep : args.keep;
  const deleted = keep === undefined ? [] : await prune(config.backupDir, {
    ...{ installation: manifest.installation, keep, made: target, now: systemRuntime.now() },
  });
  console.log(describe(target, { manifest, deleted }));
}

/** The backup is made: what cannot be deleted is only reported. */
async function prune(...of: Parameters<typeof pruneBackups>): Promise<string[]> {
  const { deleted, failed } = await pruneBackups(...of);
  for (const { file, error } of failed) {
    console.error(`backup: warning: cannot delete ${file}: ${messageOf(error)}`);
  }
  return deleted;
}

async function findSource({ store }: BackupArgs, config: Config): Promise<string> {
  if (store === undefined && !isStoreInFile(config)) {
    throw new UsageError(
      "the store is not a file here: name the server's file with --store, or see deno task copy-store",
    );
  }
  const file = store === undefined ? config.kvPath : pathFromCaller(store);
  const isFile = await Deno.stat(file).then((found) => found.isFile && found.size > 0, () => false);
  if (!isFile) throw new Error(`there is no store at ${file}`);
  return file;
}

async function chooseSecrets({ withoutSecrets, scheduled }: BackupArgs, config: Config) {
  if (withoutSecrets) return undefined;
  const passphrase = config.backupPassphrase;
  if (passphrase !== undefined) {
    return { values: await readAllSecrets(config), passphrase };
  }
  if (scheduled) return undefined;
  throw new UsageError(
    "set BACKUP_PASSPHRASE, under which the backup has the installation's secrets, or add " +
      "--without-secrets",
  );
}

/** The installation's secrets. A backup never generates them: they would not be those of the store. */
async function readAllSecrets(config: Config): Promise<Secrets> {
  const { hmacSecrets, encryptionKeys, dataDir } = config;
  if (hmacSecrets !== undefined && encryptionKeys !== undefined) {
    return { hmacSecrets, encryptionKeys };
  }
  const kept = await readSecrets(dataDir);
  if (kept === undefined) throw new Error(`there are no secrets in ${secretsFile(dataDir)}`);
  return withStoredSecrets(config, kept);
}

function describe(
  file: string,
  { manifest, deleted }: { manifest: BackupManifest; deleted: readonly string[] },
): string {
  const { entries, bytes, hasSecrets } = manifest;
  const lines = [
    `Backup   ${file}`,
    `Store    ${entries} entries, ${formatBytes(bytes)}`,
    `Secrets  ${hasSecrets ? secretsFileOf(file) : "not in this backup: keep them somewhere else"}`,
    ...deleted.map((one) => `Deleted  ${one}`),
  ];
  return lines.join("\n");
}
