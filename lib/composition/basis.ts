import type { ScryptCost } from "../accounts/password_hasher.ts";
import type { Committer } from "../committer/committer.ts";
import type { Config } from "../config.ts";
import type { Sealer } from "../credentials/sealing.ts";
import type { LedgerShards } from "../limits/ledger_shards.ts";
import type { WindowShards } from "../limits/window_shards.ts";
import type { Limits } from "../limits/limits.ts";
import type { Logger } from "../log.ts";
import type { ContentCipher } from "../storage/content_cipher.ts";
import type { TenantStore } from "../storage/tenant_store.ts";
import type { Runtime } from "../system.ts";

/** What every part of the service is made with. */
export interface CoreDeps {
  config: Config;
  /** Tells its failures as `StoreFailedError`. */
  kv: Deno.Kv;
  committer: Committer;
  /** Divides the ledgers of tenants that several processes are busy with. */
  shards: LedgerShards;
  /** Divides the request windows of callers that several processes serve. */
  windows: WindowShards;
  system: Runtime;
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
