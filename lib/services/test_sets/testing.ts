import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { TrialJudge } from "../../chat/trial/trial_judge.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { StoredTestCase } from "../../store/test_sets/test_case_store.ts";
import type { TestRunStore } from "../../store/test_sets/test_run_store.ts";
import type { TestRunRecord } from "../../store/test_sets/test_set_record.ts";
import { type RunCase, runCase } from "./run_case.ts";

/** Cases at the same time. */
const CONCURRENCY = 4;

interface TestingDeps {
  store: Pick<TestRunStore, "addResult" | "update">;
  grader: Pick<TrialJudge, "grade">;
  runtime: Pick<Runtime, "now">;
}

/** One run of a test set while it runs. */
export class Testing {
  readonly #deps: TestingDeps;
  readonly #tenant: string;
  readonly #agent: Agent;
  readonly #cases: readonly (readonly [n: number, one: StoredTestCase])[];
  /** What earlier parts of the run have cost. */
  readonly #spentBefore: number;
  #record: TestRunRecord;
  /** Results are stored one after the other, each with the sums up to it. */
  #stored: Promise<void> = Promise.resolve();
  #next = 0;
  #isOutOfBudget = false;

  constructor(deps: TestingDeps, { tenant, agent, record, cases }: {
    tenant: string;
    agent: Agent;
    record: TestRunRecord;
    /** Those that have no result yet, with their numbers. */
    cases: readonly (readonly [n: number, one: StoredTestCase])[];
  }) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#agent = agent;
    this.#record = record;
    this.#cases = cases;
    this.#spentBefore = record.cost;
  }

  async run(job: TrialJob): Promise<void> {
    const worker = async () => {
      while (!job.signal.aborted && !this.#isOutOfBudget && this.#next < this.#cases.length) {
        await this.#test(this.#cases[this.#next++]!, job);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    await this.#stored;
    const { passed, failed, errored, cases } = this.#record;
    const isDone = passed + failed + errored === cases;
    const state = isDone ? "done" : this.#isOutOfBudget ? "out_of_budget" : "stopped";
    // With what was spent on answers that were stopped, or not checked any more.
    const cost = this.#spentBefore + job.spent;
    const ended = { ...this.#record, state, cost, endedAt: this.#deps.runtime.now() } as const;
    const name = { tenant: this.#tenant, set: ended.setId, id: ended.id };
    const isMine = ({ jobId }: TestRunRecord) => jobId === ended.jobId;
    await this.#deps.store.update(name, (last) => isMine(last) ? ended : undefined);
  }

  async #test([n, { id, body }]: readonly [number, StoredTestCase], job: TrialJob): Promise<void> {
    const { judge } = this.#record;
    const options = { tenant: this.#tenant, agent: this.#agent, judge, job };
    const done = await runCase(body, { ...options, grader: this.#deps.grader });
    if (done === undefined) this.#isOutOfBudget ||= !job.signal.aborted;
    else await (this.#stored = this.#stored.then(() => this.#add(n, { caseId: id, done, job })));
  }

  async #add(
    n: number,
    { caseId, done, job }: { caseId: string; done: RunCase; job: TrialJob },
  ): Promise<void> {
    const { words, ...facts } = done;
    const { outcome, latencyMs } = facts;
    this.#record = {
      ...this.#record,
      [outcome]: this.#record[outcome] + 1,
      cost: this.#spentBefore + job.spent,
      latencyMs: this.#record.latencyMs + latencyMs,
    };
    const isStored = await this.#deps.store.addResult(this.#tenant, {
      ...{ record: this.#record, n, words },
      result: { v: 1, caseId, ...facts },
    });
    if (!isStored) job.abort();
  }
}
