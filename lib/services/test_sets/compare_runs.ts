import { cutText } from "../../platform/cut_text.ts";
import type { ChangedCase, TestComparison, TestOutcome, TestRun } from "../../schemas/test_run.ts";
import type { StoredTestResult } from "../../store/test_sets/test_run_store.ts";

const MAX_QUESTION = 200;

/** The outcome of a case, with what people recognize it by. */
type CaseOutcome = Pick<ChangedCase, "name" | "question"> & { outcome: TestOutcome };

/** A run with the outcomes of its cases, by their ids. */
export interface RunWithOutcomes {
  run: TestRun;
  outcomes: ReadonlyMap<string, CaseOutcome>;
}

export function toCaseOutcome({ result, words }: StoredTestResult): [string, CaseOutcome] {
  return [result.caseId, {
    outcome: result.outcome,
    ...words?.name !== undefined && { name: words.name },
    question: cutText(words?.question ?? "", 0, MAX_QUESTION),
  }];
}

/** What a run changed against an earlier one, in the cases that both have reached. */
export function compareRuns(before: RunWithOutcomes, after: RunWithOutcomes): TestComparison {
  const compared = [...after.outcomes].flatMap(([caseId, { outcome, ...named }]): ChangedCase[] => {
    const earlier = before.outcomes.get(caseId)?.outcome;
    return earlier === undefined ? [] : [{ caseId, ...named, before: earlier, after: outcome }];
  });
  return {
    before: before.run,
    after: after.run,
    newlyFailed: compared.filter((one) => one.before === "passed" && one.after !== "passed"),
    newlyPassed: compared.filter((one) => one.before !== "passed" && one.after === "passed"),
    otherCases: before.outcomes.size + after.outcomes.size - 2 * compared.length,
    costUsd: round(after.run.costUsd - before.run.costUsd),
    latencyMs: after.run.latencyMs - before.run.latencyMs,
  };
}

/** Millionths are exact, and their differences in binary are not. */
function round(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
