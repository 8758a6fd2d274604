import type { Expectation } from "../../schemas/test_case.ts";
import type { TestOutcome, TestRun } from "../../schemas/test_run.ts";
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

/** An expectation in a few words. */
export function describeExpectation(expectation: Expectation): string {
  const label = t(EXPECTATION_LABELS[expectation.type]);
  const detail = detailOf(expectation);
  return detail === "" ? label : `${label}: ${detail}`;
}

function detailOf(expectation: Expectation): string {
  switch (expectation.type) {
    case "contains":
    case "not_contains":
      return expectation.text;
    case "cites_document":
      return expectation.title ?? expectation.documentId ?? "";
    case "calls_tool":
      return expectation.name;
    case "json_schema":
      return "";
    case "judged":
      return expectation.rubric;
    default:
      return expectation satisfies never;
  }
}

/** The type of a check, which may be of a later release. */
export function checkLabel(type: string): string {
  const known = Object.entries(EXPECTATION_LABELS).find(([name]) => name === type);
  return known === undefined ? type : t(known[1]);
}
