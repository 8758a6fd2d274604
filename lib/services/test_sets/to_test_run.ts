import { toUsd } from "../../billing/micro_usd.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { TestResult, TestRun } from "../../schemas/test_run.ts";
import type { StoredTestResult } from "../../store/test_sets/test_run_store.ts";
import type { TestRunRecord } from "../../store/test_sets/test_set_record.ts";

export function toTestRun(
  record: TestRunRecord,
  { isInterrupted = false }: { isInterrupted?: boolean } = {},
): TestRun {
  const { v: _v, setId, jobId: _j, budget, cost, createdAt, endedAt, ...fields } = record;
  const { cases, passed, failed, errored, threshold } = record;
  const notRun = cases - passed - failed - errored;
  const state = isInterrupted ? "interrupted" : record.state;
  const share = passed / cases;
  return {
    ...fields,
    ...{ testSetId: setId, state, notRun, share },
    ...state !== "running" && { isPassed: notRun === 0 && share >= threshold },
    costUsd: toUsd(cost),
    budgetUsd: toUsd(budget),
    createdAt: isoTime(createdAt),
    ...endedAt !== undefined && { endedAt: isoTime(endedAt) },
  };
}

export function toTestResult({ result, words }: StoredTestResult): TestResult {
  const { v: _v, sealed: _s, visitor: _visitor, cost, ...facts } = result;
  const none = { question: "", answer: "", calls: [], sources: [], checks: [] };
  return {
    ...facts,
    ...words ?? none,
    ...words === undefined && { unreadable: true as const },
    costUsd: toUsd(cost),
  };
}
