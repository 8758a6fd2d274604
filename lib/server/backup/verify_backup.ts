import { isBinaryKey } from "../../store/values/is_binary_key.ts";
import { decodeValue } from "../../store/values/value_codec.ts";
import {
  type BackupManifest,
  measureFile,
  readManifest,
  secretsFileOf,
} from "./backup_manifest.ts";
import { BackupRejectedError, requireSecretsOf } from "./require_secrets.ts";
import { type Secrets, unsealSecrets } from "./sealed_secrets.ts";
import { StoreFile } from "./store_file.ts";
import { messageOf } from "../../platform/message_of.ts";

export interface VerifiedBackup {
  /** `undefined` for a copy that was made by hand. */
  manifest: BackupManifest | undefined;
  entries: number;
  bytes: number;
  /** Of the backup's file of secrets, if it was opened. */
  secrets: Secrets | undefined;
}

/**
 * Checks that a backup is whole and can be restored: size and hash as in its manifest, the pages of the
 * file, every key and value, and, with the passphrase, that its secrets are those of the store. Throws
 * `BackupRejectedError`, or `SealedSecretsError` for a wrong passphrase.
 */
export async function verifyBackup(
  file: string,
  { passphrase }: { passphrase?: string | undefined } = {},
): Promise<VerifiedBackup> {
  const manifest = await readManifest(file);
  const measured = await measureFile(file);
  if (manifest !== undefined) compareWithManifest(manifest, measured);
  using store = await StoreFile.open(file);
  const damage = store.findDamage();
  if (damage !== undefined) throw new BackupRejectedError(`the file is damaged: ${damage}`);
  const entries = countReadable(store);
  if (manifest !== undefined && manifest.entries !== entries) {
    throw new BackupRejectedError(
      `the store has ${entries} entries, and its manifest names ${manifest.entries}`,
    );
  }
  const isSealed = passphrase !== undefined && manifest?.hasSecrets !== false;
  const secrets = isSealed ? await readSecrets(file, passphrase) : undefined;
  if (secrets !== undefined) requireSecretsOf(store, secrets);
  return { manifest, entries, bytes: measured.bytes, secrets };
}

function compareWithManifest(
  manifest: BackupManifest,
  { bytes, sha256 }: { bytes: number; sha256: string },
): void {
  if (manifest.bytes !== bytes) {
    throw new BackupRejectedError(
      `the file has ${bytes} bytes, and its manifest names ${manifest.bytes}: it was cut or replaced`,
    );
  }
  if (manifest.sha256 !== sha256) {
    throw new BackupRejectedError("the file is not the one that its manifest describes");
  }
}

/** Reads every entry. */
function countReadable(store: StoreFile): number {
  let count = 0;
  for (const { key, value } of store.entries()) {
    count++;
    if (!(value instanceof Uint8Array) || isBinaryKey(key)) continue;
    try {
      decodeValue(value);
    } catch (cause) {
      const why = messageOf(cause);
      throw new BackupRejectedError(`a value of ${String(key[0])} cannot be read: ${why}`, {
        cause,
      });
    }
  }
  return count;
}

async function readSecrets(file: string, passphrase: string): Promise<Secrets> {
  try {
    return await unsealSecrets(await Deno.readTextFile(secretsFileOf(file)), passphrase);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new BackupRejectedError(`there is no file of secrets, ${secretsFileOf(file)}`);
  }
}
