import { z } from "zod";
import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { dayOf } from "../../platform/utc_day.ts";
import type { AuditChainStore } from "../../store/audit/audit_chain_store.ts";
import { INSTALLATION } from "../../store/audit/audit_record.ts";
import { queueUnchained } from "../../store/audit/audit_scan.ts";
import { keys } from "../../store/keys/keys.ts";
import type { SigningKeys } from "../../store/signing/signing_keys.ts";
import type { IsDue } from "../../store/tenants/tenant_data.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import { parseRecord } from "../../store/values/record.ts";
import { pruneAuditLinks } from "./prune_audit_links.ts";
import { signAuditHead } from "./sign_audit_head.ts";

const EVERY_MS = 60 * 60_000;

const claimSchema = z.object({ v: z.literal(1), at: z.int() });

interface AuditUpkeepDeps {
  kv: Deno.Kv;
  chains: AuditChainStore;
  tenants: Pick<TenantStore, "list">;
  signing: SigningKeys;
  runtime: Pick<Runtime, "now">;
  log: Logger;
}

/** What the chains of the audit logs need once an hour, by one of the processes. */
export class AuditUpkeep {
  readonly #deps: AuditUpkeepDeps;
  #nextClaimAt = 0;

  constructor(deps: AuditUpkeepDeps) {
    this.#deps = deps;
  }

  /** True if it is due and this process is to do it. */
  async claim(): Promise<boolean> {
    const { kv, runtime } = this.#deps;
    const now = runtime.now();
    const isEarly = now < this.#nextClaimAt && this.#nextClaimAt <= now + EVERY_MS;
    if (isEarly) return false;
    const entry = await kv.get(keys.installation("audit_upkeep"));
    const last = parseRecord(claimSchema, entry)?.at ?? 0;
    // A clock that was wrong must not stop it.
    const isDue = now >= last + EVERY_MS || last > now + EVERY_MS;
    this.#nextClaimAt = isDue ? now + EVERY_MS : last + EVERY_MS;
    if (!isDue) return false;
    return (await kv.atomic().check(entry).set(entry.key, { v: 1, at: now }).commit()).ok;
  }

  /** Queues entries of an earlier release. */
  async scan(isDue: IsDue): Promise<void> {
    const { kv, tenants, runtime, log } = this.#deps;
    for (const tenant of [INSTALLATION, ...(await tenants.list()).map(({ id }) => id)]) {
      if (isDue()) return;
      const options = { tenant, now: runtime.now(), isDue };
      const found = await this.#attempt(tenant, () => queueUnchained(kv, options));
      if (found) log.info("audit entries without a link were found", { log: tenant, found });
    }
  }

  /** Signs the head of each log once a day, and deletes links whose entries have expired long ago. */
  async signAndPrune(isDue: IsDue): Promise<void> {
    const { chains, signing, runtime, log } = this.#deps;
    const deps = { chains, signing, now: runtime.now(), isDue };
    const day = dayOf(deps.now);
    for await (const tenant of chains.logs()) {
      if (isDue()) return;
      const signed = await this.#attempt(tenant, () => signAuditHead(deps, tenant));
      // A log that is collected elsewhere keeps the head, whatever happens to the store.
      if (signed) log.info("signed the head of an audit log", { log: tenant, day, ...signed });
      await this.#attempt(tenant, () => pruneAuditLinks(deps, tenant));
    }
  }

  /** A failure is logged and left to the next hour. */
  async #attempt<T>(tenant: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#deps.log.error("the upkeep of an audit log failed", { log: tenant, error });
      return undefined;
    }
  }
}
