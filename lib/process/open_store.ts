import { dirname, resolve } from "node:path";
import type { Config } from "../config.ts";
import { keys } from "../storage/keys.ts";
import type { System } from "../system.ts";
import { keepSecrets, makePrivateDir, makePrivateFile } from "./data_dir.ts";
import { type ProcessLock, takeProcessLock } from "./process_lock.ts";

/** SQLite's name for a store that ends with the process. */
const IN_MEMORY = ":memory:";

/** The open store of this process with the secrets that go with it. */
export interface Store {
  readonly kv: Deno.Kv;
  /** The first signs, all verify. */
  readonly hmacSecrets: readonly string[];
  /** Base64 of 32 bytes. */
  readonly encryptionKey: string;
  /** Whether nothing has been stored yet. */
  readonly firstStart: boolean;
  /** No other process can have it open. */
  readonly alone: boolean;
  /** Closes the store and frees the lock; may be called twice. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  openKv: (path?: string) => Promise<Deno.Kv>;
  system: System;
}

/**
 * Opens the store that `config` names. A local file is taken for this process alone: two of them on
 * one file fail each other's writes ("database is locked"). Throws `StoreInUseError` when it is
 * taken.
 */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<Store> {
  const remote = config.onDeploy || config.kvUrl !== undefined;
  const locks = remote ? [] : await takeLocks(config);
  let kv: Deno.Kv | undefined;
  try {
    const secrets = await secretsFor(config, options.system);
    kv = await openKv(config, options);
    const tenant = await kv.get(keys.installation("default_tenant"));
    const firstStart = tenant.versionstamp === null;
    return { kv, ...secrets, firstStart, alone: !remote, close: closer(kv, locks) };
  } catch (error) {
    kv?.close();
    for (const lock of locks) lock.release();
    throw error;
  }
}

async function openKv(config: Config, { openKv }: OpenStoreOptions): Promise<Deno.Kv> {
  if (config.kvUrl !== undefined) return await openKv(config.kvUrl);
  if (config.onDeploy) return await openKv();
  if (config.kvPath === IN_MEMORY) return await openKv(IN_MEMORY);
  // Made private before SQLite sees it: its -wal and -shm files take over the mode.
  await makePrivateFile(config.kvPath);
  return await openKv(resolve(config.kvPath));
}

/** The folder's lock, and the file's own when it lies elsewhere: another folder may name it too. */
async function takeLocks(config: Config): Promise<ProcessLock[]> {
  const { dataDir, kvPath } = config;
  await makePrivateDir(dataDir);
  const lock = await takeProcessLock(`${dataDir}/lock`, { held: `the data folder ${dataDir}` });
  if (kvPath === IN_MEMORY || resolve(dirname(kvPath)) === resolve(dataDir)) return [lock];
  try {
    await makePrivateDir(dirname(kvPath));
    return [lock, await takeProcessLock(`${kvPath}.lock`, { held: `the store ${kvPath}` })];
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The environment wins; what it leaves out is kept in the data folder. */
async function secretsFor(
  config: Config,
  system: System,
): Promise<{ hmacSecrets: readonly string[]; encryptionKey: string }> {
  const { hmacSecrets, encryptionKey, dataDir } = config;
  if (hmacSecrets !== undefined && encryptionKey !== undefined) {
    return { hmacSecrets, encryptionKey };
  }
  await makePrivateDir(dataDir);
  const kept = await keepSecrets(dataDir, system);
  return {
    hmacSecrets: hmacSecrets ?? [kept.hmacSecret],
    encryptionKey: encryptionKey ?? kept.encryptionKey,
  };
}

function closer(kv: Deno.Kv, locks: ProcessLock[]): () => Promise<void> {
  let open = true;
  return () => {
    if (open) kv.close();
    open = false;
    for (const lock of locks) lock.release();
    return Promise.resolve();
  };
}
