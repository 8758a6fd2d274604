import type { Runtime } from "../../platform/runtime.ts";
import { isoTime } from "../../platform/runtime.ts";
import { keys } from "../../store/keys/keys.ts";
import { decodeValue } from "../../store/values/value_codec.ts";
import { makePrivateFile, removeIfExists, writePrivateFile } from "../process/data_dir.ts";
import { partialFileOf } from "./backup_folder.ts";
import {
  type BackupManifest,
  manifestFileOf,
  measureFile,
  secretsFileOf,
} from "./backup_manifest.ts";
import { sealSecrets, type Secrets } from "./sealed_secrets.ts";
import { requireSecretsOf } from "./require_secrets.ts";
import { copyStoreFile, StoreFile } from "./store_file.ts";

export interface CreateBackupOptions {
  /** The store's file; other processes may write it. */
  source: string;
  /** The file to create, in an existing folder. */
  target: string;
  /** Written to `FILE.secrets` under the passphrase. */
  secrets?: { values: Secrets; passphrase: string } | undefined;
  runtime: Pick<Runtime, "now" | "randomBytes">;
}

/**
 * Copies the store as it is at one moment, checks the copy, and writes its manifest last. A backup that
 * fails leaves no file with the target's name. Throws if the target exists, and `BackupRejectedError` if
 * the secrets are not those of the store.
 */
export async function createBackup(options: CreateBackupOptions): Promise<BackupManifest> {
  const { source, target, secrets, runtime } = options;
  await rejectExisting(target);
  const partial = partialFileOf(target);
  const createdAt = isoTime(runtime.now());
  let isClaimed = false;
  try {
    await makePrivateFile(partial);
    await copyStoreFile(source, partial);
    const facts = await checkCopy(partial, secrets?.values);
    await syncFile(partial);
    const measured = await measureFile(partial);
    const sealed = secrets &&
      await sealSecrets(secrets.values, { passphrase: secrets.passphrase, runtime });
    await claim(target);
    isClaimed = true;
    if (sealed !== undefined) await writePrivateFile(secretsFileOf(target), sealed);
    await Deno.rename(partial, target);
    const manifest: BackupManifest = {
      ...{ format: 1, createdAt, ...measured, ...facts },
      hasSecrets: secrets !== undefined,
    };
    await writePrivateFile(manifestFileOf(target), JSON.stringify(manifest, null, 2) + "\n");
    return manifest;
  } catch (error) {
    const made = isClaimed ? [secretsFileOf(target), target] : [];
    for (const path of [partial, ...made]) await removeIfExists(path);
    throw error;
  }
}

/** Before the copy, which can take long. */
async function rejectExisting(target: string): Promise<void> {
  const exists = await Deno.lstat(target).then(() => true, () => false);
  if (exists) throw new Error(`${target} exists already`);
}

/** Creates an empty file of this name, which only one of several processes can. */
async function claim(target: string): Promise<void> {
  try {
    (await Deno.open(target, { createNew: true, write: true, mode: 0o600 })).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    throw new Error(`${target} exists already`, { cause: error });
  }
}

async function checkCopy(
  path: string,
  secrets: Secrets | undefined,
): Promise<{ entries: number; installation?: string }> {
  using file = await StoreFile.open(path);
  const damage = file.findDamage();
  if (damage !== undefined) throw new Error(`the store is damaged: ${damage}`);
  if (secrets !== undefined) requireSecretsOf(file, secrets);
  const installation = readInstallation(file);
  return { entries: file.count(), ...installation !== undefined && { installation } };
}

/** The id of the installation's first tenant, if it has one. */
export function readInstallation(file: StoreFile): string | undefined {
  const value = file.get(keys.installation("default_tenant"));
  return value instanceof Uint8Array ? String(decodeValue(value)) : undefined;
}

async function syncFile(path: string): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  await file.sync();
}
