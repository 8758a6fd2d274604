import { encryptionKeyIds } from "../../platform/crypto/encryption_key.ts";
import { hmacSecretId } from "../../platform/crypto/signer.ts";
import {
  MissingHmacSecretError,
  registerHmacSecrets,
} from "../../store/credentials/hmac_secrets.ts";
import {
  MissingEncryptionKeyError,
  readEncryptionKeyIds,
  registerEncryptionKeys,
} from "../../store/encryption/encryption_keys.ts";
import type { OpenStoreOptions, Store } from "./open_store.ts";
import { StartupError } from "./startup_error.ts";

/** If both kinds of secrets are missing, reports the encryption keys: more depends on them. */
export async function checkSecrets(
  kv: Deno.Kv,
  options: Pick<Store, "hmacSecrets" | "encryptionKeys"> & OpenStoreOptions,
): Promise<void> {
  try {
    await checkHmacSecrets(kv, options);
  } catch (error) {
    const ids = encryptionKeyIds(options.encryptionKeys);
    if ((await readEncryptionKeyIds(kv)).every((id) => ids.includes(id))) throw error;
  }
  await checkEncryptionKeys(kv, options);
}

async function checkHmacSecrets(
  kv: Deno.Kv,
  { hmacSecrets, allowMissingKeys, allowMissingSecrets, runtime }:
    & Pick<Store, "hmacSecrets">
    & OpenStoreOptions,
): Promise<void> {
  if (allowMissingKeys || allowMissingSecrets) return;
  try {
    await registerHmacSecrets(kv, hmacSecrets.map(hmacSecretId), runtime);
  } catch (error) {
    if (!(error instanceof MissingHmacSecretError)) throw error;
    const { ids } = error;
    throw new StartupError(
      `API keys in the store are hashed under ${ids.length === 1 ? "a secret" : "secrets"} that ` +
        `this process does not have (secret id ${ids.join(", ")}), so it would reject them. If ` +
        "API_KEY_HMAC_SECRET was changed, put the " +
        "old secret behind the new one, API_KEY_HMAC_SECRET=<new>,<old>, until the keys made with it " +
        "have been rotated or revoked. If the store was moved or restored, its secrets.json belongs " +
        "with it. All processes of one store must have the same secrets. If the secret is lost, " +
        "deno task keys forget-secrets gives up the keys made with it",
      { cause: error },
    );
  }
}

async function checkEncryptionKeys(
  kv: Deno.Kv,
  { encryptionKeys, allowMissingKeys = false }: Pick<Store, "encryptionKeys"> & OpenStoreOptions,
): Promise<void> {
  try {
    const ids = encryptionKeyIds(encryptionKeys);
    await registerEncryptionKeys(kv, ids, { allowMissing: allowMissingKeys });
  } catch (error) {
    if (!(error instanceof MissingEncryptionKeyError)) throw error;
    const { ids } = error;
    throw new StartupError(
      "conversations, run logs, tool secrets and provider credentials in the store may be " +
        `encrypted under ${ids.length === 1 ? "a key" : "keys"} that this process does not have ` +
        `(key id ${ids.join(", ")}). If ENCRYPTION_KEY was changed, put the old key behind the ` +
        "new one, ENCRYPTION_KEY=<new>,<old>, run deno task secrets reencrypt, and drop the old " +
        "key after that. If the store was moved or restored, its secrets.json belongs with it. " +
        "If the key is lost, deno task secrets reencrypt --forget gives up what is under it",
      { cause: error },
    );
  }
}
