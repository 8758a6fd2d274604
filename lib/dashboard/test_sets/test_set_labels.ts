import type { Expectation } from "../../schemas/test_case.ts";
import type { TestOutcome, TestRun } from "../../schemas/test_run.ts";
import { summarizeExpectation } from "../../services/test_sets/check_expectation.ts";
import { msg, t } from "../texts/translate.ts";

export const EXPECTATION_LABELS: Record<Expectation["type"], string> = {
  contains: msg("Contains a text"),
  not_contains: msg("Does not contain a text"),
  cites_document: msg("Cites a document"),
  calls_tool: msg("Calls a tool"),
  json_schema: msg("Is valid JSON"),
  judged: msg("Judged by a rubric"),
};

export const OUTCOME_LABELS: Record<TestOutcome, string> = {
  passed: msg("Passed"),
  failed: msg("Failed"),
  errored: msg("No answer"),
};

export const TEST_RUN_STATE_LABELS: Record<TestRun["state"], string> = {
  running: msg("Running"),
  done: msg("Done"),
  stopped: msg("Stopped"),
  out_of_budget: msg("Out of budget"),
  interrupted: msg("Interrupted"),
};

/** An expectation in one line. */
export function describeExpectation(expectation: Expectation): string {
  return `${t(EXPECTATION_LABELS[expectation.type])}: ${summarizeExpectation(expectation)}`;
}

/** The type of a check, which may be of a later release. */
export function checkLabel(type: string): string {
  const known = Object.entries(EXPECTATION_LABELS).find(([name]) => name === type);
  return known === undefined ? type : t(known[1]);
}
