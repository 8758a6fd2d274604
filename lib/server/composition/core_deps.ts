import type { ScryptCost } from "../../platform/crypto/password_hasher.ts";
import type { GroupCommitter } from "../../store/tx/group_committer.ts";
import type { Config } from "../config/config.ts";
import type { Sealer } from "../../platform/crypto/sealing.ts";
import type { LedgerShards } from "../../billing/ledger_shards.ts";
import type { WindowShards } from "../../billing/window_shards.ts";
import type { Limits } from "../../billing/limits.ts";
import type { Logger } from "../../platform/log.ts";
import type { ContentCipher } from "../../store/encryption/content_cipher.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** What every part of the service is made with. */
export interface CoreDeps {
  config: Config;
  /** Tells its failures as `StoreFailedError`. */
  kv: Deno.Kv;
  committer: GroupCommitter;
  /** Divides the ledgers of tenants that several processes are busy with. */
  shards: LedgerShards;
  /** Divides the request windows of callers that several processes serve. */
  windows: WindowShards;
  runtime: Runtime;
  log: Logger;
  limits: Limits;
  tenants: TenantStore;
  /** What a password's hash costs; `undefined` but in tests. */
  passwordCost: ScryptCost | undefined;
  /** Encrypts what is stored for one purpose. */
  sealer: (purpose: string) => Sealer;
  /** Encrypts what was said. */
  content: ContentCipher;
}
