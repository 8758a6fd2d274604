import type { ScryptCost } from "../../platform/crypto/password_hasher.ts";
import { LedgerShards } from "../../billing/ledger_shards.ts";
import { DEFAULT_LIMITS, type Limits } from "../../billing/limits.ts";
import { WindowShards } from "../../billing/window_shards.ts";
import { Sealer } from "../../platform/crypto/sealing.ts";
import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  type ContentCipher,
  createContentSealer,
  openContentCipher,
} from "../../store/encryption/content_cipher.ts";
import { withStoreFailures } from "../../store/kv/with_store_failures.ts";
import { withStoreGate } from "../../store/kv/with_store_gate.ts";
import { TenantStore } from "../../store/tenants/tenant_store.ts";
import { GroupCommitter } from "../../store/tx/group_committer.ts";
import type { Config } from "../config/config.ts";
import type { OpenServiceOptions } from "./open_service.ts";

/** Dependencies of every part of the service. */
export interface CoreDeps {
  config: Config;
  /** Fails with `StoreFailedError`. */
  kv: Deno.Kv;
  committer: GroupCommitter;
  /** Shards the ledgers of tenants that several processes serve. */
  shards: LedgerShards;
  /** Shards the request windows of callers that several processes serve. */
  windows: WindowShards;
  runtime: Runtime;
  log: Logger;
  limits: Limits;
  tenants: TenantStore;
  /** The cost of password hashes; only tests set it. */
  passwordCost: ScryptCost | undefined;
  /** A sealer for one purpose. */
  sealer: (purpose: string) => Sealer;
  /** Encrypts conversations. */
  content: ContentCipher;
}

export async function openCoreDeps(
  { config, encryptionKeys, kv, limits, log, memory, passwordCost, storeTimeoutMs, runtime }:
    OpenServiceOptions,
): Promise<CoreDeps> {
  const timeout = { runtime, ...storeTimeoutMs !== undefined && { timeoutMs: storeTimeoutMs } };
  const gated = withStoreGate(kv, { runtime, log, maxWaitMs: storeDeadlineMs(storeTimeoutMs) });
  // The committer handles store failures itself.
  const committer = new GroupCommitter(gated, {
    ...timeout,
    ...memory && { maxCachedEntries: memory.cachedValues },
  });
  const guarded = withStoreFailures(gated, timeout);
  const shards = new LedgerShards(committer, runtime);
  const { randomBytes } = runtime;
  const content = await openContentCipher(guarded, {
    sealer: createContentSealer(encryptionKeys, randomBytes),
    randomBytes,
    onUnreadable: (unreadable) => log.error("stored content cannot be decrypted", unreadable),
  });
  return {
    ...{ config, committer, shards, runtime, log, passwordCost, content, kv: guarded },
    windows: new WindowShards(committer, { runtime, contended: shards.contended }),
    limits: { ...DEFAULT_LIMITS, ...limits },
    tenants: new TenantStore(guarded, runtime),
    sealer: (purpose) => new Sealer(encryptionKeys, { purpose, randomBytes }),
  };
}

/** How long a request waits for the store: its caller gets a response 5 s after the store fails. */
export function storeDeadlineMs(timeoutMs = 5_000): number {
  return timeoutMs * 0.9;
}
