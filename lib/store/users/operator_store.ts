import type { Runtime } from "../../platform/runtime.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { DEFAULT_PLAN, planRecordSchema, toPlanRecord } from "../tenants/tenant_store.ts";
import { byCreation, parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  auditedFields,
  findOtherOperator,
  readOperators,
  type User,
  userRecordSchema,
} from "./user_record.ts";

/** The user after the change, or why it was not made. */
export type OperatorChange =
  | { user: User }
  | { rejected: "not_found" | "unchanged" | "last_operator" };

/** Who may operate the installation. A change applies to the user's next request. */
export class OperatorStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** The operators of all tenants, oldest first. */
  async list(): Promise<User[]> {
    return (await readOperators(this.#kv)).map(({ user }) => user).sort(byCreation);
  }

  grant(tenant: string, id: string): Promise<OperatorChange> {
    return this.#change({ tenant, id }, { operator: true });
  }

  /** `last_operator` if that would leave the installation without one. */
  revoke(tenant: string, id: string): Promise<OperatorChange> {
    return this.#change({ tenant, id }, { operator: false });
  }

  #change(
    { tenant, id }: { tenant: string; id: string },
    { operator }: { operator: boolean },
  ): Promise<OperatorChange> {
    return retryUntilCommitted(async (): Promise<OperatorChange | undefined> => {
      const [entry, plan] = await this.#kv.getMany([keys.user(tenant, id), keys.plan(tenant)]);
      const user = parseRecord(userRecordSchema, entry);
      const current = parseRecord(planRecordSchema, plan) ?? DEFAULT_PLAN;
      if (user === undefined || current.deletion !== undefined) return { rejected: "not_found" };
      if (user.operator === operator) return { rejected: "unchanged" };
      const next = { ...user, operator };
      const step = this.#kv.atomic().check(entry).set(entry.key, next);
      if (operator) {
        // Written too: the deletion of a tenant, which must have no operator, begins in this record.
        step.check(plan).set(plan.key, toPlanRecord(current));
      } else {
        const other = await findOtherOperator(this.#kv, id);
        if (other === undefined) return { rejected: "last_operator" };
        step.check(other.entry);
      }
      this.#record(step, { before: user, after: next });
      return (await step.commit()).ok ? { user: next } : undefined;
    }, { what: "operator" });
  }

  #record(step: Deno.AtomicOperation, { before, after }: { before: User; after: User }): void {
    for (const log of [INSTALLATION, after.tenant]) {
      recordChange(step, this.#runtime, {
        tenant: log,
        kind: "user",
        action: after.operator ? "grant operator" : "revoke operator",
        target: { id: after.id, name: after.email },
        before: auditedFields(before),
        after: auditedFields(after),
      });
    }
  }
}
