import type { Config } from "../config/config.ts";
import { withValueEncoding } from "../../store/kv/with_value_encoding.ts";
import { keys } from "../../store/keys/keys.ts";
import { RetryPolicy } from "../../store/tx/retry_policy.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  loadOrCreateSecrets,
  makePrivateDir,
  makePrivateFile,
  resolveStoreFile,
  withStoredSecrets,
} from "./data_dir.ts";
import { checkSecrets } from "./check_secrets.ts";
import { acquireProcessLock, type ProcessLock } from "./process_lock.ts";
import { compactFile } from "./compact_file.ts";
import { wrapStartupError } from "./startup_error.ts";

const IN_MEMORY = ":memory:";
const REMOTE_OPEN_TIMEOUT_MS = 10_000;

export interface Store {
  readonly kv: Deno.Kv;
  readonly file: string | undefined;
  /** The first signs, all verify. */
  readonly hmacSecrets: readonly string[];
  /** Each base64 of 32 bytes. The first encrypts, all decrypt. */
  readonly encryptionKeys: readonly string[];
  readonly isExclusive: boolean;
  /** Rewrites the file without deleted and replaced values; `close` must follow. Files only. */
  readonly compact: (() => Promise<void>) | undefined;
  /** Closes the store and releases its locks. May be called twice. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  openKv: (path?: string) => Promise<Deno.Kv>;
  runtime: Runtime;
  /** Accept that the store may use encryption keys that this process does not have. */
  allowMissingKeys?: boolean;
  /** Accept that the store has API keys under HMAC secrets that this process does not have. */
  allowMissingSecrets?: boolean;
}

/**
 * Opens the configured store. A local file is locked for this process: two processes on one file would
 * fail each other's writes ("database is locked") and settle each other's runs as orphaned. Throws
 * `StoreInUseError` if it is locked, and `StartupError` for other problems.
 */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<Store> {
  const remote = config.onDenoDeploy || config.kvUrl !== undefined;
  const { locks, file } = remote ? { locks: [], file: undefined } : await acquireLocks(config);
  let kv: Deno.Kv | undefined;
  try {
    const secrets = await loadSecrets(config, options.runtime);
    const open = async () => {
      kv = withValueEncoding(await openKv(config, { ...options, file }));
      // The first read fails for a damaged file and for a rejected access token.
      await kv.get(keys.installation("default_tenant"));
    };
    if (remote) await openRemote(open, { config, runtime: options.runtime });
    else {
      const describe = (why: string) =>
        `the store ${
          file ?? IN_MEMORY
        } cannot be opened: ${why}. If it is damaged, restore it from ` +
        "a backup, together with secrets.json";
      await wrapStartupError(open, describe);
    }
    await checkSecrets(kv!, { ...secrets, ...options });
    return { ...storeHandle(kv!, { file, locks }), ...secrets, file, isExclusive: !remote };
  } catch (error) {
    kv?.close();
    for (const lock of locks) lock.release();
    throw error;
  }
}

function openRemote<T>(
  open: () => Promise<T>,
  { config, runtime }: { config: Config; runtime: Runtime },
): Promise<T> {
  const timeout = new RetryPolicy(runtime, REMOTE_OPEN_TIMEOUT_MS);
  const { kvUrl } = config;
  const describe = (why: string) =>
    kvUrl === undefined
      ? `the Deno KV database of this app cannot be opened: ${why}. Assign one to the app`
      : `the store at KV_URL=${kvUrl} cannot be opened: ${why}. Check that the server runs there, ` +
        "and that DENO_KV_ACCESS_TOKEN is its access token";
  return wrapStartupError(() => timeout.withTimeout(open()), describe);
}

async function openKv(
  config: Config,
  { openKv, file }: OpenStoreOptions & { file: string | undefined },
): Promise<Deno.Kv> {
  if (config.kvUrl !== undefined) return await openKv(config.kvUrl);
  if (config.onDenoDeploy) return await openKv();
  if (file === undefined) return await openKv(IN_MEMORY);
  // Private before SQLite opens it, because its -wal and -shm files inherit the mode.
  await makePrivateFile(file);
  return await openKv(file);
}

/** Locks a stopped service's store, to replace its file. Throws as `openStore` does. */
export async function lockStore(
  config: Config,
): Promise<{ file: string | undefined; release(): void }> {
  const { locks, file } = await acquireLocks(config);
  return { file, release: () => locks.forEach((lock) => lock.release()) };
}

/** Locks the data folder and the store's file, which another data folder may share. */
async function acquireLocks(
  { dataDir, kvPath }: Config,
): Promise<{ locks: ProcessLock[]; file: string | undefined }> {
  const takeFolder = async () => {
    await makePrivateDir(dataDir);
    return await acquireProcessLock(`${dataDir}/lock`, { what: "data folder", path: dataDir });
  };
  const describe = (why: string) =>
    `the data folder ${dataDir} cannot be used: ${why}. Point DATA_DIR at a folder that can be made ` +
    "and written";
  const folder = await wrapStartupError(takeFolder, describe);
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

/** The secrets of the environment, or those of the data folder for the ones that are unset. */
export async function loadSecrets(
  config: Config,
  runtime: Runtime,
): Promise<Pick<Store, "hmacSecrets" | "encryptionKeys">> {
  const { hmacSecrets, encryptionKeys, dataDir } = config;
  if (hmacSecrets !== undefined && encryptionKeys !== undefined) {
    return { hmacSecrets, encryptionKeys };
  }
  await makePrivateDir(dataDir);
  return withStoredSecrets(config, await loadOrCreateSecrets(dataDir, runtime));
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
