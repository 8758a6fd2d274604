import type { Config } from "../config/config.ts";
import { encryptionKeyIds } from "../../platform/crypto/encryption_key.ts";
import { hmacSecretId } from "../../platform/crypto/hashing.ts";
import { withValueEncoding } from "../../store/kv/with_value_encoding.ts";
import {
  MissingHmacSecretError,
  registerHmacSecrets,
} from "../../store/credentials/hmac_secrets.ts";
import {
  MissingEncryptionKeyError,
  readEncryptionKeyIds,
  registerEncryptionKeys,
} from "../../store/encryption/encryption_keys.ts";
import { keys } from "../../store/keys/keys.ts";
import { RetryPolicy } from "../../store/tx/retry_policy.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  loadOrCreateSecrets,
  makePrivateDir,
  makePrivateFile,
  resolveStoreFile,
} from "./data_dir.ts";
import { acquireProcessLock, type ProcessLock } from "./process_lock.ts";
import { compactFile } from "./compact_file.ts";
import { StartupError, wrapStartupError } from "./startup_error.ts";

/** SQLite's name for a store that ends with the process. */
const IN_MEMORY = ":memory:";
/** A server that does not answer within this many milliseconds fails the start. */
const REMOTE_OPEN_TIMEOUT_MS = 10_000;

/** The open store of this process with the secrets that go with it. */
export interface Store {
  readonly kv: Deno.Kv;
  /** Its file, whatever links lead to it; unset for one that is no file of this machine. */
  readonly file: string | undefined;
  /** The first signs, all verify. */
  readonly hmacSecrets: readonly string[];
  /** Each base64 of 32 bytes. The first encrypts, all decrypt. */
  readonly encryptionKeys: readonly string[];
  /** Whether nothing has been stored yet. */
  readonly isFirstStart: boolean;
  /** No other process can have it open. */
  readonly isExclusive: boolean;
  /**
   * Closes the store's file and rewrites it without what has been deleted or replaced, which otherwise
   * stands in its unused parts; absent where there is no file. `close` must follow.
   */
  readonly compact: (() => Promise<void>) | undefined;
  /** Closes the store and frees the lock; may be called twice. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  openKv: (path?: string) => Promise<Deno.Kv>;
  runtime: Runtime;
  /** Opens a store also when it may hold values under encryption keys that are missing. */
  allowMissingKeys?: boolean;
  /** Opens a store also when it holds API keys under HMAC secrets that are missing. */
  allowMissingSecrets?: boolean;
}

/**
 * Opens the store that `config` names. A local file is taken for this process alone: two of them on
 * one file fail each other's writes ("database is locked"), and each would settle the other's runs
 * as a dead process's. Throws `StoreInUseError` when it is taken, `StartupError` for what is broken.
 */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<Store> {
  const remote = config.onDenoDeploy || config.kvUrl !== undefined;
  const { locks, file } = remote ? { locks: [], file: undefined } : await acquireLocks(config);
  let kv: Deno.Kv | undefined;
  try {
    const secrets = await loadSecrets(config, options.runtime);
    const open = async () => {
      kv = withValueEncoding(await openKv(config, { ...options, file }));
      return await kv.get(keys.installation("default_tenant"));
    };
    const tenant = await (remote
      ? openRemote(open, { config, runtime: options.runtime })
      : file === undefined
      ? open()
      : wrapStartupError(open, describeDamage(file)));
    const firstStart = tenant.versionstamp === null;
    await checkSecrets(kv!, { ...secrets, ...options });
    return {
      ...storeHandle(kv!, { file, locks }),
      file,
      ...secrets,
      isFirstStart: firstStart,
      isExclusive: !remote,
    };
  } catch (error) {
    kv?.close();
    for (const lock of locks) lock.release();
    throw error;
  }
}

/** A server that is away, silent or refuses its token is reported in one sentence. */
function openRemote<T>(
  open: () => Promise<T>,
  { config, runtime }: { config: Config; runtime: Runtime },
): Promise<T> {
  const timeout = new RetryPolicy(runtime, REMOTE_OPEN_TIMEOUT_MS);
  const { kvUrl } = config;
  return wrapStartupError(
    () => timeout.withTimeout(open()),
    (why) =>
      kvUrl === undefined
        ? `the Deno KV database of this app cannot be opened: ${why}. Assign one to the app`
        : `the store at KV_URL=${kvUrl} cannot be opened: ${why}. Check that the server runs there, ` +
          "and that DENO_KV_ACCESS_TOKEN is its access token",
  );
}

function describeDamage(file: string): (why: string) => string {
  return (why) =>
    `the store ${file} cannot be opened: ${why}. If it is damaged, restore it from a backup, ` +
    "together with secrets.json";
}

async function openKv(
  config: Config,
  { openKv, file }: OpenStoreOptions & { file: string | undefined },
): Promise<Deno.Kv> {
  if (config.kvUrl !== undefined) return await openKv(config.kvUrl);
  if (config.onDenoDeploy) return await openKv();
  if (file === undefined) return await openKv(IN_MEMORY);
  // Made private before SQLite sees it: its -wal and -shm files take over the mode.
  await makePrivateFile(file);
  return await openKv(file);
}

/** The folder's lock and the file's own: another folder's process may name the file as well. */
async function acquireLocks(
  { dataDir, kvPath }: Config,
): Promise<{ locks: ProcessLock[]; file: string | undefined }> {
  const takeFolder = async () => {
    await makePrivateDir(dataDir);
    return await acquireProcessLock(`${dataDir}/lock`, { what: "data folder", path: dataDir });
  };
  const folder = await wrapStartupError(
    takeFolder,
    (why) =>
      `the data folder ${dataDir} cannot be used: ${why}. Point DATA_DIR at a folder that can be made ` +
      "and written",
  );
  if (kvPath === IN_MEMORY) return { locks: [folder], file: undefined };
  const takeFile = async () => {
    const file = await resolveStoreFile(kvPath);
    const lock = await acquireProcessLock(`${file}.lock`, { what: "store", path: kvPath });
    return { locks: [folder, lock], file };
  };
  try {
    return await wrapStartupError(takeFile, (why) => `the store ${kvPath} cannot be used: ${why}`);
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** The environment wins; what it leaves out is kept in the data folder. */
async function loadSecrets(
  config: Config,
  runtime: Runtime,
): Promise<Pick<Store, "hmacSecrets" | "encryptionKeys">> {
  const { hmacSecrets, encryptionKeys, dataDir } = config;
  if (hmacSecrets !== undefined && encryptionKeys !== undefined) {
    return { hmacSecrets, encryptionKeys };
  }
  await makePrivateDir(dataDir);
  const kept = await loadOrCreateSecrets(dataDir, runtime);
  return {
    hmacSecrets: hmacSecrets ?? [kept.hmacSecret],
    encryptionKeys: encryptionKeys ?? [kept.encryptionKey],
  };
}

/** Checks both kinds of secrets. If both are missing, reports the encryption keys: more depends on them. */
async function checkSecrets(
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
      "API keys in the store are hashed under " +
        `${ids.length === 1 ? "a secret" : "secrets"} that this process does not have (secret id ` +
        `${
          ids.join(", ")
        }), so it would refuse them. If API_KEY_HMAC_SECRET was changed, put the ` +
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
      "conversations, run logs, tool secrets and vendor credentials in the store may be " +
        `encrypted under ${ids.length === 1 ? "a key" : "keys"} that this process does not have ` +
        `(key id ${ids.join(", ")}). If ENCRYPTION_KEY was changed, put the old key behind the ` +
        "new one, ENCRYPTION_KEY=<new>,<old>, run deno task secrets reencrypt, and drop the old " +
        "key after that. If the store was moved or restored, its secrets.json belongs with it. " +
        "If the key is lost, deno task secrets reencrypt --forget gives up what is under it",
      { cause: error },
    );
  }
}

function storeHandle(
  kv: Deno.Kv,
  { file, locks }: { file: string | undefined; locks: ProcessLock[] },
): Pick<Store, "kv" | "compact" | "close"> {
  let open = true;
  const closeKv = () => {
    if (open) kv.close();
    open = false;
  };
  const close = () => {
    closeKv();
    for (const lock of locks) lock.release();
    return Promise.resolve();
  };
  const compact = file === undefined ? undefined : async () => {
    closeKv();
    await compactFile(file);
  };
  return { kv, compact, close };
}
