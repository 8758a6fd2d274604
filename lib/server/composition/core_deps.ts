import { LedgerShards } from "../../billing/ledger_shards.ts";
import { DEFAULT_LIMITS, type Limits, limitsOfPlan } from "../../billing/limits.ts";
import { NonRunCharges } from "../../billing/non_run_charges.ts";
import { WindowShards } from "../../billing/window_shards.ts";
import { Sealer } from "../../platform/crypto/sealing.ts";
import { createContentSealer, openContentCipher } from "../../store/encryption/content_cipher.ts";
import { openSigningKeys, SIGNING_PURPOSE } from "../../store/signing/signing_keys.ts";
import { withStoreFailures } from "../../store/kv/with_store_failures.ts";
import { withStoreGate } from "../../store/kv/with_store_gate.ts";
import { TenantStore } from "../../store/tenants/tenant_store.ts";
import { GroupCommitter } from "../../store/tx/group_committer.ts";
import { ServiceMetrics } from "../telemetry/service_metrics.ts";
import type { OpenServiceOptions } from "./open_service.ts";

/** Dependencies of every part of the service. `kv` fails with `StoreFailedError`. */
export type CoreDeps = Awaited<ReturnType<typeof openCoreDeps>>;

export async function openCoreDeps(
  {
    config,
    encryptionKeys,
    backups,
    kv,
    limits,
    log,
    memory,
    passwordCost,
    peers,
    storeTimeoutMs,
    setTimer,
    runtime,
    createTracing,
  }: OpenServiceOptions,
) {
  const timeout = { runtime, ...storeTimeoutMs !== undefined && { timeoutMs: storeTimeoutMs } };
  const lastBackupAt = backups && (async () => (await backups.read()).lastAt);
  const metrics = new ServiceMetrics({ runtime, setTimer, peers, lastBackupAt });
  const gated = withStoreGate(kv, { runtime, log, maxWaitMs: storeDeadlineMs(storeTimeoutMs) });
  // The committer handles store failures itself.
  const committer = new GroupCommitter(gated, {
    ...timeout,
    setTimer,
    onCommit: (commit) => metrics.store.onCommit(commit),
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
  const tenantLabel = (tenant: string) => content.shortDigest(`tenant ${tenant}`);
  const all: Limits = { ...DEFAULT_LIMITS, ...limits };
  const tenants = new TenantStore(guarded, runtime);
  const sealer = (purpose: string) => new Sealer(encryptionKeys, { purpose, randomBytes });
  const signing = await openSigningKeys(guarded, {
    ...{ randomBytes, now: () => runtime.now() },
    sealer: sealer(SIGNING_PURPOSE),
  });
  return {
    ...{ config, committer, metrics, shards, runtime, log, passwordCost, content, kv: guarded },
    charges: new NonRunCharges(committer, {
      ...{ runtime, shards, observer: metrics.chat },
      limitsOf: async (tenant) => limitsOfPlan(all, await tenants.plan(tenant)),
    }),
    windows: new WindowShards(committer, { runtime, contended: shards.contended }),
    limits: all,
    tenantLabel,
    tracing: createTracing?.(tenantLabel),
    tenants,
    sealer,
    signing,
  };
}

/** How long a request waits for the store: its caller gets a response 5 s after the store fails. */
export function storeDeadlineMs(timeoutMs = 5_000): number {
  return timeoutMs * 0.9;
}
