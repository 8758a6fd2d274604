import { encryptionKeyIds } from "../../platform/crypto/encryption_key.ts";
import { hmacSecretId } from "../../platform/crypto/signer.ts";
import { keys } from "../../store/keys/keys.ts";
import { decodeValue } from "../../store/values/value_codec.ts";
import type { Secrets } from "./sealed_secrets.ts";
import type { StoreFile } from "./store_file.ts";

/** A backup that cannot be restored as it is; the message says why. */
export class BackupRejectedError extends Error {
  override name = "BackupRejectedError";
}

/** Throws `BackupRejectedError` if a store needs other secrets than these. */
export function requireSecretsOf(store: StoreFile, secrets: Secrets): void {
  const known = [
    ...encryptionKeyIds(secrets.encryptionKeys),
    ...secrets.hmacSecrets.map(hmacSecretId),
  ];
  const encryption = readRecord<{ ids: string[] }>(store, keys.encryptionKeys())?.ids ?? [];
  const signing = readRecord<{ signing: string }>(store, keys.hmacSecrets())?.signing;
  const missing = [...encryption, ...signing === undefined ? [] : [signing]]
    .filter((id) => !known.includes(id));
  if (missing.length === 0) return;
  throw new BackupRejectedError(
    `the secrets are not those of the store, which needs the ids ${missing.join(", ")}`,
  );
}

function readRecord<T>(store: StoreFile, key: readonly string[]): T | undefined {
  const value = store.get(key);
  if (value === undefined) return undefined;
  return (value instanceof Uint8Array ? decodeValue(value) : value) as T;
}
