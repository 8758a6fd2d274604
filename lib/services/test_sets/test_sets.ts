import { toMicroUsd, toUsd } from "../../billing/micro_usd.ts";
import type { ModelAccess, ModelName } from "../../billing/model_access.ts";
import { isoTime } from "../../platform/runtime.ts";
import { ApiError, parseOrThrow, validationError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { MAX_QUOTAS } from "../../schemas/limits.ts";
import { type TestSet, testSetBodySchema, testSetPatchSchema } from "../../schemas/test_set.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { TestSetRecord } from "../../store/test_sets/test_set_record.ts";
import type {
  TestSetFields,
  TestSetResult,
  TestSetStore,
} from "../../store/test_sets/test_set_store.ts";
import type { Page, PageRequest } from "../../store/values/page.ts";
import type { CommitStep } from "../../store/values/record.ts";
import type { CursorSigner } from "../cursor_signer.ts";
import { noTestSet } from "./no_test_set.ts";
import type { TestRuns } from "./test_runs.ts";

type SetName = { tenant: string; id: string };
type IfMatch = { ifMatch?: readonly number[] | undefined };

interface TestSetsDeps {
  agents: Pick<AgentStore, "get">;
  access: Pick<ModelAccess, "issues">;
  store: TestSetStore;
  runs: Pick<TestRuns, "deleteAll">;
  cursors: CursorSigner;
}

/** Test sets of agents. Methods throw `ApiError`; 412 if the set's version is not in `ifMatch`. */
export class TestSets {
  readonly #deps: TestSetsDeps;

  constructor(deps: TestSetsDeps) {
    this.#deps = deps;
  }

  /** `body` is unparsed; `commit` may extend the transaction that stores the set. */
  async create(
    tenant: string,
    body: unknown,
    { commit }: { commit?: CommitStep<TestSet> | undefined } = {},
  ): Promise<TestSet> {
    const { budgetUsd, judge, ...rest } = parseOrThrow(testSetBodySchema, body);
    await this.#check(tenant, { agentId: rest.agentId, judge });
    const fields = { ...rest, ...judge && { judge }, budget: toMicroUsd(budgetUsd) };
    const result = await this.#deps.store.create(tenant, fields, {
      commit: commit && ((step, record) => commit(step, toTestSet(record))),
    });
    return unwrap(result);
  }

  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<TestSet>> {
    return this.#deps.cursors.page(page, {
      list: `test_sets ${tenant}`,
      load: async (opened) => {
        const { data, ...rest } = await this.#deps.store.list(tenant, opened);
        return { ...rest, data: data.map(toTestSet) };
      },
    });
  }

  /** The sets of an agent, newest first. */
  async ofAgent(tenant: string, agentId: string): Promise<TestSet[]> {
    // The quota of sets fits on one page.
    const { data } = await this.#deps.store.list(tenant, { limit: MAX_QUOTAS.testSets });
    return data.filter((set) => set.agentId === agentId).map(toTestSet);
  }

  async get(name: SetName): Promise<TestSet> {
    return await this.find(name) ?? noTestSet();
  }

  /** Like `get`, but `undefined` instead of 404. */
  async find(name: SetName): Promise<TestSet | undefined> {
    const record = await this.#deps.store.find(name);
    return record && toTestSet(record);
  }

  /** Merges the patch. An empty change keeps the version. */
  async patch(name: SetName, { patch, ifMatch }: { patch: unknown } & IfMatch): Promise<TestSet> {
    const { budgetUsd, judge, ...rest } = parseOrThrow(testSetPatchSchema, patch);
    await this.#check(name.tenant, { agentId: rest.agentId, judge: judge ?? undefined });
    const change = (fields: TestSetFields): TestSetFields => {
      const nextJudge = judge === undefined ? fields.judge : judge ?? undefined;
      return {
        name: rest.name ?? fields.name,
        agentId: rest.agentId ?? fields.agentId,
        threshold: rest.threshold ?? fields.threshold,
        budget: budgetUsd === undefined ? fields.budget : toMicroUsd(budgetUsd),
        ...nextJudge && { judge: nextJudge },
      };
    };
    return unwrap(await this.#deps.store.update(name, { change, ifMatch }));
  }

  /** Deletes a set with its cases, and its runs, which stop. */
  async delete(name: SetName, options: IfMatch = {}): Promise<void> {
    unwrap(await this.#deps.store.delete(name, options));
    await this.#deps.runs.deleteAll({ tenant: name.tenant, set: name.id });
  }

  async #check(
    tenant: string,
    { agentId, judge }: { agentId: string | undefined; judge: ModelName | undefined },
  ): Promise<void> {
    const { access, agents } = this.#deps;
    const issues: ValidationIssue[] = [];
    if (agentId !== undefined && await agents.get(tenant, agentId) === undefined) {
      issues.push({ path: "agentId", code: "not_found", message: "is not one of your agents" });
    }
    if (judge !== undefined) issues.push(...await access.issues(tenant, judge, "judge.model"));
    if (issues.length > 0) throw validationError(issues);
  }
}

function unwrap(result: TestSetResult): TestSet {
  if ("set" in result) return toTestSet(result.set);
  if (result.rejected === "not_found") noTestSet();
  throw new ApiError("version_conflict", "the test set has changed since you read it");
}

function toTestSet(record: TestSetRecord): TestSet {
  const { v: _v, budget, caseBytes: _bytes, createdAt, updatedAt, ...fields } = record;
  return {
    ...fields,
    budgetUsd: toUsd(budget),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}
