import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { quotaExceededError } from "../tenants/quota_exceeded_error.ts";
import { requireActiveTenant } from "../tenants/require_active_tenant.ts";
import { planRecordSchema, quotasOf } from "../tenants/tenant_store.ts";
import { deletePrefixes } from "../values/chunks.ts";
import { type Page, type PageRequest, readEntryPage } from "../values/page.ts";
import { type CommitStep, commitStep, parseRecord, retryUntilCommitted } from "../values/record.ts";
import { testSetCountSchema, type TestSetRecord, testSetRecordSchema } from "./test_set_record.ts";

type SetName = { tenant: string; id: string };

/** The fields of a set that people choose. */
export type TestSetFields = Pick<
  TestSetRecord,
  "name" | "agentId" | "threshold" | "judge" | "budget"
>;

export type TestSetResult =
  | { set: TestSetRecord }
  | { rejected: "not_found" | "version_conflict" };

const NO_QUOTAS = { quotas: {} };

/** Test sets of all tenants, without their cases and runs. */
export class TestSetStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Throws `ApiError` 403 beyond the plan's test sets. */
  create(
    tenant: string,
    fields: TestSetFields,
    options: { commit?: CommitStep<TestSetRecord> | undefined } = {},
  ): Promise<TestSetResult> {
    const [now, id] = [this.#runtime.now(), this.#runtime.uuid()];
    const set: TestSetRecord = {
      ...{ v: 1, id, ...fields, cases: 0, caseBytes: 0, casesRevision: 0, version: 1 },
      ...{ createdAt: now, updatedAt: now },
    };
    return retryUntilCommitted(async (): Promise<TestSetResult | undefined> => {
      const wanted = [keys.testSetCount(tenant), keys.plan(tenant)] as const;
      const [entry, planEntry] = await this.#kv.getMany<[unknown, unknown]>(wanted);
      const count = parseRecord(testSetCountSchema, entry)?.count ?? 0;
      const plan = parseRecord(planRecordSchema, planEntry);
      if (plan?.deletion !== undefined) requireActiveTenant(plan);
      const { testSets: limit } = quotasOf(plan ?? NO_QUOTAS);
      if (count >= limit) {
        throw quotaExceededError("testSets", { used: count, limit, requested: 1 });
      }
      const step = this.#kv.atomic().check(entry, planEntry)
        .set(entry.key, { v: 1, count: count + 1 })
        .set(keys.testSet(tenant, id), set);
      this.#record(step, tenant, { action: "create", after: set });
      return await (options.commit ?? commitStep)(step, set) ? { set } : undefined;
    }, { what: "test sets" });
  }

  async find({ tenant, id }: SetName): Promise<TestSetRecord | undefined> {
    return parseRecord(testSetRecordSchema, await this.#kv.get(keys.testSet(tenant, id)));
  }

  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<TestSetRecord>> {
    const load = (entry: Deno.KvEntry<unknown>) =>
      Promise.resolve(parseRecord(testSetRecordSchema, entry));
    return readEntryPage(this.#kv, keys.testSets(tenant), { ...page, load });
  }

  /** An equal set keeps its version. */
  update(
    { tenant, id }: SetName,
    { change, ifMatch }: {
      change: (fields: TestSetFields) => TestSetFields;
      ifMatch?: readonly number[] | undefined;
    },
  ): Promise<TestSetResult> {
    return retryUntilCommitted(async (): Promise<TestSetResult | undefined> => {
      const entry = await this.#kv.get(keys.testSet(tenant, id));
      const before = parseRecord(testSetRecordSchema, entry);
      if (before === undefined) return { rejected: "not_found" };
      if (ifMatch !== undefined && !ifMatch.includes(before.version)) {
        return { rejected: "version_conflict" };
      }
      const fields = change(before);
      if (JSON.stringify(audited(fields)) === JSON.stringify(audited(before))) {
        return { set: before };
      }
      const { judge: _judge, ...rest } = before;
      const set = {
        ...{ ...rest, ...fields, version: before.version + 1, updatedAt: this.#runtime.now() },
      };
      const step = this.#kv.atomic().check(entry).set(entry.key, set);
      this.#record(step, tenant, { action: "change", before, after: set });
      return (await step.commit()).ok ? { set } : undefined;
    }, { what: "test set" });
  }

  /** Deletes a set with its cases; its runs are deleted by `TestRunStore`. */
  async delete(
    { tenant, id }: SetName,
    { ifMatch }: { ifMatch?: readonly number[] | undefined } = {},
  ): Promise<TestSetResult> {
    const result = await retryUntilCommitted(async (): Promise<TestSetResult | undefined> => {
      const wanted = [keys.testSet(tenant, id), keys.testSetCount(tenant)] as const;
      const [entry, counted] = await this.#kv.getMany<[unknown, unknown]>(wanted);
      const set = parseRecord(testSetRecordSchema, entry);
      if (set === undefined) return { rejected: "not_found" };
      if (ifMatch !== undefined && !ifMatch.includes(set.version)) {
        return { rejected: "version_conflict" };
      }
      const count = parseRecord(testSetCountSchema, counted)?.count ?? 1;
      const step = this.#kv.atomic().check(entry, counted).delete(entry.key)
        .set(counted.key, { v: 1, count: count - 1 });
      this.#record(step, tenant, { action: "delete", before: set });
      return (await step.commit()).ok ? { set } : undefined;
    }, { what: "test set" });
    // Nothing is added to a set that is gone.
    if ("set" in result) await deletePrefixes(this.#kv, [keys.testCases(tenant, id)]);
    return result;
  }

  #record(
    step: Deno.AtomicOperation,
    tenant: string,
    { action, before, after }: {
      action: string;
      before?: TestSetRecord;
      after?: TestSetRecord;
    },
  ): void {
    const { id, name } = after ?? before!;
    recordChange(step, this.#runtime, {
      ...{ tenant, kind: "test set", action, target: { id, name } },
      before: before && audited(before),
      after: after && audited(after),
    });
  }
}

function audited({ name, agentId, threshold, judge, budget }: TestSetFields) {
  return { name, agentId, threshold, judge: judge && { ...judge }, budgetMicroUsd: budget };
}

/** The number of a tenant's test sets. */
export async function countTestSets(kv: Deno.Kv, tenant: string): Promise<number> {
  return parseRecord(testSetCountSchema, await kv.get(keys.testSetCount(tenant)))?.count ?? 0;
}
