import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ResultFormat, TestComparison, TestResult, TestRun } from "../../schemas/test_run.ts";
import type { TestRunName, TestRunStore } from "../../store/test_sets/test_run_store.ts";
import type { TestRunRecord } from "../../store/test_sets/test_set_record.ts";
import type { TestSetStore } from "../../store/test_sets/test_set_store.ts";
import type { Page, PageRequest } from "../../store/values/page.ts";
import type { CursorSigner } from "../cursor_signer.ts";
import { compareRuns, type RunWithOutcomes, toCaseOutcome } from "./compare_runs.ts";
import { exportResults } from "./export_results.ts";
import { noTestRun, noTestSet } from "./no_test_set.ts";
import { toTestResult, toTestRun } from "./to_test_run.ts";

const PAGE_LENGTH = 50;

interface TestRunReaderDeps {
  sets: Pick<TestSetStore, "find">;
  store: TestRunStore;
  jobs: Pick<TrialJobs, "isRunning">;
  cursors: CursorSigner;
}

type SetName = { tenant: string; set: string };

/** What runs of test sets found out. Methods throw `ApiError`. */
export class TestRunReader {
  readonly #deps: TestRunReaderDeps;

  constructor(deps: TestRunReaderDeps) {
    this.#deps = deps;
  }

  /** Newest first. */
  async list({ tenant, set }: SetName, page: PageRequest): Promise<Page<TestRun>> {
    const { cursors, sets, store } = this.#deps;
    await sets.find({ tenant, id: set }) ?? noTestSet();
    const list = `test_runs ${tenant} ${set}`;
    const load = (opened: PageRequest) => store.list({ tenant, set }, opened);
    const { data, ...rest } = await cursors.page(page, { list, load });
    return { ...rest, data: await Promise.all(data.map((one) => this.#toShown(tenant, one))) };
  }

  async read(name: TestRunName): Promise<TestRun> {
    return await this.#toShown(name.tenant, await this.#find(name));
  }

  /** A page of results, in the order of the cases. */
  async results(name: TestRunName, page: PageRequest): Promise<Page<TestResult>> {
    const { cursors, store } = this.#deps;
    await this.#find(name);
    return await cursors.page(page, {
      list: `test_results ${name.tenant} ${name.id}`,
      load: async ({ limit, cursor }) => {
        const { results, next } = await store.results(name, { limit, from: Number(cursor ?? 0) });
        const data = results.map(toTestResult);
        return next === undefined ? { data } : { data, nextCursor: String(next) };
      },
    });
  }

  /** All results, as text. */
  async export(name: TestRunName, format: ResultFormat): Promise<AsyncGenerator<string>> {
    await this.#find(name);
    return exportResults(this.#allResults(name), format);
  }

  /** Compares a run with another of its set, by default the one of the same agent before it. */
  async compare(name: TestRunName, before: string | undefined): Promise<TestComparison> {
    const after = await this.#find(name);
    const earlier = before === undefined
      ? await this.#previous(name.tenant, after)
      : await this.#find({ ...name, id: before });
    return compareRuns(
      await this.#withOutcomes(name.tenant, earlier),
      await this.#withOutcomes(name.tenant, after),
    );
  }

  /** The outcomes of a run, by the ids of their cases. */
  async outcomes(name: TestRunName): Promise<RunWithOutcomes["outcomes"]> {
    const found: ReturnType<typeof toCaseOutcome>[] = [];
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: Awaited<ReturnType<TestRunStore["results"]>> = await this.#deps.store
        .results(name, { from, limit: PAGE_LENGTH });
      found.push(...page.results.map(toCaseOutcome));
      from = page.next;
    }
    return new Map(found);
  }

  async *newestFirst(of: SetName): AsyncGenerator<TestRunRecord> {
    let cursor: string | undefined;
    do {
      const page: Page<TestRunRecord> = await this.#deps.store
        .list(of, { limit: PAGE_LENGTH, cursor });
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async #find(name: TestRunName): Promise<TestRunRecord> {
    return await this.#deps.store.find(name) ?? noTestRun();
  }

  async *#allResults(name: TestRunName): AsyncGenerator<TestResult> {
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: Awaited<ReturnType<TestRunStore["results"]>> = await this.#deps.store
        .results(name, { from, limit: PAGE_LENGTH });
      yield* page.results.map(toTestResult);
      from = page.next;
    }
  }

  async #previous(tenant: string, { id, setId: set, agentId }: TestRunRecord) {
    for await (const run of this.newestFirst({ tenant, set })) {
      // Ids begin with the time.
      if (run.id < id && run.agentId === agentId && run.state !== "running") return run;
    }
    throw new ApiError("not_found", "there is no earlier run of this agent to compare with");
  }

  async #withOutcomes(tenant: string, run: TestRunRecord): Promise<RunWithOutcomes> {
    const name = { tenant, set: run.setId, id: run.id };
    return { run: await this.#toShown(tenant, run), outcomes: await this.outcomes(name) };
  }

  async #toShown(tenant: string, record: TestRunRecord): Promise<TestRun> {
    if (record.state !== "running") return toTestRun(record);
    if (await this.#deps.jobs.isRunning(tenant, record.jobId)) return toTestRun(record);
    // It may have ended since it was read.
    const last = await this.#deps.store.find({ tenant, set: record.setId, id: record.id }) ??
      record;
    return toTestRun(last, { isInterrupted: last.state === "running" });
  }
}
