import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { readMembers } from "../users/user_record.ts";
import { parseRecord, retryUntilCommitted, updateRecord } from "../values/record.ts";
import {
  DEFAULT_PLAN,
  planRecordSchema,
  tenantRecordSchema,
  toPlanRecord,
} from "./tenant_store.ts";

const deletionSchema = z.object({
  v: z.literal(1),
  startedAt: z.int(),
  /** When the last record of the tenant that was found had been deleted. */
  clearedAt: z.int().optional(),
});
export type TenantDeletion = z.infer<typeof deletionSchema>;

export type BeginResult = "begun" | "not_found" | "default_tenant" | "has_operators";

/** Tenants that are being deleted. The record of a tenant and its plan are deleted last. */
export class TenantDeletionStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** From the commit on, no credential of the tenant works. Beginning again changes nothing. */
  begin(id: string): Promise<BeginResult> {
    return retryUntilCommitted(async (): Promise<BeginResult | undefined> => {
      const [tenantEntry, planEntry, pointer] = await this.#kv.getMany([
        keys.tenant(id),
        keys.plan(id),
        keys.installation("default_tenant"),
      ]);
      const tenant = parseRecord(tenantRecordSchema, tenantEntry);
      if (tenant === undefined) return "not_found";
      if (pointer.value === id) return "default_tenant";
      const plan = parseRecord(planRecordSchema, planEntry) ?? DEFAULT_PLAN;
      if (plan.deletion !== undefined) return "begun";
      // After the plan was read: granting the role writes the plan too.
      const members = await readMembers(this.#kv, keys.users(id));
      if (members.some(({ user }) => user.operator)) return "has_operators";
      const at = this.#runtime.now();
      const step = this.#kv.atomic().check(tenantEntry, planEntry)
        .set(planEntry.key, toPlanRecord({ ...plan, deletion: { at } }))
        .set(keys.tenantDeletion(id), { v: 1, startedAt: at } satisfies TenantDeletion);
      this.#record(step, "delete", tenant);
      return (await step.commit()).ok ? "begun" : undefined;
    }, { what: "tenant" });
  }

  /** The ids of the tenants that are being deleted. */
  async pending(): Promise<string[]> {
    const rows = this.#kv.list({ prefix: keys.tenantDeletions() });
    return await Array.fromAsync(rows, ({ key }) => String(key[1]));
  }

  async get(id: string): Promise<TenantDeletion | undefined> {
    return parseRecord(deletionSchema, await this.#kv.get(keys.tenantDeletion(id)));
  }

  /** Notes that nothing was left just now. */
  async noteCleared(id: string): Promise<void> {
    const location = { key: keys.tenantDeletion(id), schema: deletionSchema, what: "deletion" };
    await updateRecord(this.#kv, location, (deletion, save) => {
      if (deletion !== undefined) save({ ...deletion, clearedAt: this.#runtime.now() });
    });
  }

  /** Deletes the tenant itself; nothing if another process has done so. */
  async finish(id: string): Promise<void> {
    await retryUntilCommitted(async () => {
      const [deletion, tenantEntry] = await this.#kv.getMany([
        keys.tenantDeletion(id),
        keys.tenant(id),
      ]);
      if (deletion.versionstamp === null) return true;
      const step = this.#kv.atomic().check(deletion, tenantEntry)
        .delete(deletion.key).delete(tenantEntry.key).delete(keys.plan(id));
      const tenant = parseRecord(tenantRecordSchema, tenantEntry);
      if (tenant !== undefined) this.#record(step, "finish deletion", tenant);
      return (await step.commit()).ok || undefined;
    }, { what: "deletion" });
  }

  /** In the installation's log, which outlives the tenant. */
  #record(
    step: Deno.AtomicOperation,
    action: string,
    { id, name }: { id: string; name: string },
  ): void {
    recordChange(step, this.#runtime, {
      ...{ tenant: INSTALLATION, kind: "tenant", action, target: { id, name } },
    });
  }
}
