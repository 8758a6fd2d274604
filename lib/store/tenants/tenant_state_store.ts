import type { Runtime } from "../../platform/runtime.ts";
import { type AuditedChange, INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  DEFAULT_PLAN,
  type Plan,
  planRecordSchema,
  type Tenant,
  tenantRecordSchema,
  toPlanRecord,
} from "./tenant_store.ts";

/** Whether the change was made, or why not. */
export type StateChange = "changed" | "unchanged" | "not_found" | "deleting";

type Found = { tenant: Tenant; plan: Plan };
type Change = Partial<Found> & { audit: Pick<AuditedChange, "action" | "before" | "after"> };

/**
 * Renames, suspends and resumes tenants. Every change is recorded in the installation's log and in the
 * tenant's.
 */
export class TenantStateStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  rename(id: string, name: string): Promise<StateChange> {
    return this.#change(id, ({ tenant }) => {
      if (tenant.name === name) return undefined;
      const audit = { action: "rename", before: { name: tenant.name }, after: { name } };
      return { tenant: { ...tenant, name }, audit };
    });
  }

  /** From the commit on, no credential of the tenant works. A second one changes the reason only. */
  suspend(id: string, reason: string): Promise<StateChange> {
    return this.#change(id, ({ plan }) => {
      const { suspension } = plan;
      if (suspension?.reason === reason) return undefined;
      const at = suspension?.at ?? this.#runtime.now();
      const before = suspension && { reason: suspension.reason };
      const audit = { action: "suspend", before, after: { reason } };
      return { plan: { ...plan, suspension: { at, reason } }, audit };
    });
  }

  resume(id: string): Promise<StateChange> {
    return this.#change(id, ({ plan: { suspension, ...plan } }) => {
      if (suspension === undefined) return undefined;
      return { plan, audit: { action: "resume", before: { reason: suspension.reason } } };
    });
  }

  #change(id: string, change: (found: Found) => Change | undefined): Promise<StateChange> {
    return retryUntilCommitted(async (): Promise<StateChange | undefined> => {
      const [tenantEntry, planEntry] = await this.#kv.getMany([keys.tenant(id), keys.plan(id)]);
      const tenant = parseRecord(tenantRecordSchema, tenantEntry);
      if (tenant === undefined) return "not_found";
      const plan = parseRecord(planRecordSchema, planEntry) ?? DEFAULT_PLAN;
      if (plan.deletion !== undefined) return "deleting";
      const changed = change({ tenant, plan });
      if (changed === undefined) return "unchanged";
      const step = this.#kv.atomic().check(tenantEntry, planEntry);
      if (changed.tenant) step.set(tenantEntry.key, changed.tenant);
      if (changed.plan) step.set(planEntry.key, toPlanRecord(changed.plan));
      const target = { id, name: tenant.name };
      for (const log of [INSTALLATION, id]) {
        recordChange(step, this.#runtime, {
          ...{ tenant: log, kind: "tenant", target },
          ...changed.audit,
        });
      }
      return (await step.commit()).ok ? "changed" : undefined;
    }, { what: "tenant" });
  }
}
