import { LimitError } from "../../billing/limit_error.ts";
import { toMicroUsd, toUsd } from "../../billing/micro_usd.ts";
import type { ModelAccess } from "../../billing/model_access.ts";
import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import type { TrialJudge } from "../../chat/trial/trial_judge.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import { ApiError, parseOrThrow, validationError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { TEST_BOUNDS } from "../../schemas/limits.ts";
import { type NewTestRun, newTestRunSchema, type TestRun } from "../../schemas/test_run.ts";
import { recordChange } from "../../store/audit/audit_record.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { RunSource } from "../../store/runs/run_record.ts";
import type { StoredTestCase, TestCaseStore } from "../../store/test_sets/test_case_store.ts";
import type { TestRunName, TestRunStore } from "../../store/test_sets/test_run_store.ts";
import type { TestRunRecord, TestSetRecord } from "../../store/test_sets/test_set_record.ts";
import { noTestRun, noTestSet } from "./no_test_set.ts";
import { Testing } from "./testing.ts";
import type { TestRunReader } from "./test_run_reader.ts";
import { toTestRun } from "./to_test_run.ts";

const DAY_MS = 86_400_000;

interface TestRunsDeps {
  agents: Pick<AgentStore, "get" | "getServed" | "getVersion">;
  access: Pick<ModelAccess, "issues">;
  cases: Pick<TestCaseStore, "all">;
  store: TestRunStore;
  jobs: TrialJobs;
  grader: Pick<TrialJudge, "grade">;
  /** Micro-USD that the tenant may spend in a day. */
  dailyLimitOf: (tenant: string) => Promise<number>;
  reader: Pick<TestRunReader, "newestFirst" | "outcomes" | "read">;
  runtime: Runtime;
}

type SetName = { tenant: string; set: string };

/** Runs of test sets on versions of agents. Methods throw `ApiError`. */
export class TestRuns {
  readonly #deps: TestRunsDeps;

  constructor(deps: TestRunsDeps) {
    this.#deps = deps;
  }

  /**
   * Sets the budget aside and begins in the background. 404 without the set, the agent or the version, 429
   * `plan_limit_exceeded` if the tenant's day does not have the money, `rate_limit_exceeded` if it has too
   * many jobs.
   */
  async start(
    { tenant, set: id, source }: SetName & { source: RunSource },
    body: unknown,
  ): Promise<TestRun> {
    const wanted = parseOrThrow(newTestRunSchema, body);
    await this.#deps.jobs.requireRoom(tenant);
    const { set, cases } = await this.#readCases({ tenant, set: id });
    const agent = await this.#findVersion(tenant, wanted, set);
    await this.#checkJudge(tenant, { set, cases });
    const record = this.#newRecord({ set, agent, cases: cases.length, wanted });
    const create = () =>
      this.#deps.store.create(tenant, record, (step) => {
        recordChange(step, this.#deps.runtime, {
          ...{ tenant, kind: "test set", action: "run", target: { id, name: set.name } },
          after: { agentId: agent.id, version: agent.version, budgetUsd: toUsd(record.budget) },
        });
      });
    const numbered = cases.map((one, n) => [n, one] as const);
    const begun = { record, agent, source, cases: numbered, amount: record.budget };
    if (!await this.#begin(tenant, begun, create)) noTestSet();
    await this.#deleteOldest({ tenant, set: id });
    return toTestRun(record);
  }

  /**
   * Continues a run that was interrupted, stopped or out of budget: with the cases that have no
   * result, and what its budget has left. 412 for one that runs or is done, or if the cases have changed.
   */
  async resume(
    { source, ...name }: TestRunName & { source: RunSource },
  ): Promise<TestRun> {
    const { tenant, set: id } = name;
    // Before its state: if it is resumed in between, the record is another one.
    const before = await this.#deps.store.find(name) ?? noTestRun();
    const { state } = await this.#deps.reader.read(name);
    if (state === "running" || state === "done") conflict("the run is not interrupted");
    await this.#deps.jobs.requireRoom(tenant);
    const { set, cases } = await this.#readCases({ tenant, set: id });
    if (before.casesRevision !== set.casesRevision) {
      throw new ApiError("version_conflict", "the cases have changed since the run began");
    }
    const agent = await this.#deps.agents.getVersion(tenant, before.agentId, before.version) ??
      noVersion();
    const reached = await this.#deps.reader.outcomes(name);
    const left = cases.map((one, n) => [n, one] as const).filter(([, { id }]) => !reached.has(id));
    const amount = before.budget - before.cost;
    if (amount <= 0) conflict("the run's budget is used up");
    const { endedAt: _e, ...rest } = before;
    const jobId = this.#deps.runtime.uuid();
    const record = { ...rest, state: "running" as const, jobId };
    const isUnchanged = (last: TestRunRecord) => JSON.stringify(last) === JSON.stringify(before);
    const claim = () =>
      this.#deps.store.update(name, (last) => isUnchanged(last) ? record : undefined);
    if (!await this.#begin(tenant, { record, agent, source, cases: left, amount }, claim)) {
      conflict("the run was resumed or deleted meanwhile");
    }
    return toTestRun(record);
  }

  /** Ends it after the answers that are being made; nothing happens to one that has ended. */
  async stop(name: TestRunName): Promise<void> {
    const { jobId } = await this.#deps.store.find(name) ?? noTestRun();
    await this.#deps.jobs.stop(name.tenant, jobId);
  }

  /** Stops and deletes it. */
  async delete(name: TestRunName): Promise<void> {
    await this.stop(name);
    if (!await this.#deps.store.delete(name)) noTestRun();
  }

  /** Stops and deletes all runs of a set. */
  async deleteAll({ tenant, set }: SetName): Promise<void> {
    for await (const { id, jobId } of this.#deps.reader.newestFirst({ tenant, set })) {
      await this.#deps.jobs.stop(tenant, jobId);
      await this.#deps.store.delete({ tenant, set, id });
    }
  }

  async #readCases(
    { tenant, set: id }: SetName,
  ): Promise<{ set: TestSetRecord; cases: StoredTestCase[] }> {
    const { set, cases } = await this.#deps.cases.all({ tenant, id }) ?? noTestSet();
    const enabled = cases.filter(({ body }) => body.enabled);
    if (enabled.length > 0) return { set, cases: enabled };
    const message = "has no enabled case";
    throw validationError([{ path: "cases", code: "too_small", message }]);
  }

  async #findVersion(
    tenant: string,
    { agentId: wanted, version }: NewTestRun,
    set: TestSetRecord,
  ): Promise<Agent> {
    const { agents } = this.#deps;
    const agentId = wanted ?? set.agentId;
    if (version === "draft") return await agents.get(tenant, agentId) ?? noVersion();
    if (version === "published") return await agents.getServed(tenant, agentId) ?? noVersion();
    return await agents.getVersion(tenant, agentId, version) ?? noVersion();
  }

  async #checkJudge(
    tenant: string,
    { set, cases }: { set: TestSetRecord; cases: readonly StoredTestCase[] },
  ): Promise<void> {
    const isNeeded = cases.some(({ body }) =>
      body.expectations.some(({ type }) => type === "judged")
    );
    if (!isNeeded) return;
    const issues: ValidationIssue[] = set.judge === undefined
      ? [{ path: "judge", code: "required", message: "is needed: cases have rubrics" }]
      : await this.#deps.access.issues(tenant, set.judge, "judge.model");
    if (issues.length > 0) throw validationError(issues);
  }

  #newRecord({ set, agent, cases, wanted }: {
    set: TestSetRecord;
    agent: Agent;
    cases: number;
    wanted: NewTestRun;
  }): TestRunRecord {
    const { runtime } = this.#deps;
    const { budgetUsd, threshold = set.threshold } = wanted;
    const id = runtime.uuid();
    return {
      ...{ v: 1, id, jobId: id, setId: set.id, agentId: agent.id, version: agent.version },
      ...{ casesRevision: set.casesRevision, threshold },
      ...set.judge && { judge: set.judge },
      ...{ state: "running", cases, passed: 0, failed: 0, errored: 0, cost: 0, latencyMs: 0 },
      budget: budgetUsd === undefined ? set.budget : toMicroUsd(budgetUsd),
      createdAt: runtime.now(),
    };
  }

  /**
   * Sets the money aside, and then lets `claim` store the run, so that every reader finds its job. False if
   * `claim` returns false; then nothing is asked.
   */
  async #begin(
    tenant: string,
    { record, agent, source, cases, amount }: {
      record: TestRunRecord;
      agent: Agent;
      source: RunSource;
      cases: readonly (readonly [number, StoredTestCase])[];
      amount: number;
    },
    claim: () => Promise<boolean>,
  ): Promise<boolean> {
    const { jobs, runtime } = this.#deps;
    const testing = new Testing(this.#deps, { tenant, agent, record, cases });
    const claimed = Promise.withResolvers<boolean>();
    const work = async (job: TrialJob) => {
      claim().then(claimed.resolve, claimed.reject);
      if (await claimed.promise) await testing.run(job);
    };
    if (await jobs.start(tenant, { id: record.jobId, source, amount }, work)) {
      return await claimed.promise;
    }
    throw new LimitError({
      scope: "tenant_daily_cost",
      limit: toUsd(await this.#deps.dailyLimitOf(tenant)),
      retryAfterMs: DAY_MS - runtime.now() % DAY_MS,
    });
  }

  async #deleteOldest(of: SetName): Promise<void> {
    let n = 0;
    for await (const { id, jobId } of this.#deps.reader.newestFirst(of)) {
      const isKept = ++n <= TEST_BOUNDS.runsPerSet;
      if (isKept || await this.#deps.jobs.isRunning(of.tenant, jobId)) continue;
      await this.#deps.store.delete({ ...of, id });
    }
  }
}

function noVersion(): never {
  throw new ApiError("not_found", "there is no such agent, or not in this version");
}

function conflict(message: string): never {
  throw new ApiError("version_conflict", message);
}
