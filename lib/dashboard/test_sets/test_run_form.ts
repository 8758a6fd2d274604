import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { TestRun } from "../../schemas/test_run.ts";
import type { TestRuns } from "../../services/test_sets/test_runs.ts";
import { translateMessage } from "../texts/service_message.ts";
import { t } from "../texts/translate.ts";

/** The form's texts, as they were entered. */
export interface TestRunValues {
  /** `draft`, `published` or a number. */
  version: string;
  budget: string;
}

export type TestRunIssues = { [Field in keyof TestRunValues | "form"]?: string };

export function readTestRunForm(form: URLSearchParams): TestRunValues {
  return { version: form.get("version") ?? "", budget: form.get("budget")?.trim() ?? "" };
}

/** Starts a run; expected errors become messages of the form, others are thrown. */
export async function startTestRun(
  testRuns: Pick<TestRuns, "start">,
  of: Parameters<TestRuns["start"]>[0],
  { version, budget }: TestRunValues,
): Promise<{ run: TestRun } | { issues: TestRunIssues; status: number }> {
  const isNumber = /^\d{1,9}$/.test(version);
  const body = {
    version: isNumber ? Number(version) : version,
    budgetUsd: Number(budget.replace(",", ".")),
  };
  try {
    return { run: await testRuns.start(of, body) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code } = error;
    if (code === "plan_limit_exceeded") {
      const message = t("Your organization's day does not have this much left.");
      return { status, issues: { budget: message } };
    }
    if (code === "rate_limit_exceeded") {
      return { status, issues: { form: translateMessage(error.message) } };
    }
    const issues = (error.details?.issues ?? []) as ValidationIssue[];
    if (issues.length > 0) return { status, issues: Object.assign({}, ...issues.map(toFormIssue)) };
    if (code !== "not_found") throw error;
    return { status, issues: { version: t("This version does not exist any more.") } };
  }
}

function toFormIssue({ path, message }: ValidationIssue): TestRunIssues {
  if (path === "budgetUsd") return { budget: t("Enter an amount above 0, up to 100 USD.") };
  if (path === "version") return { version: t("This version does not exist any more.") };
  if (path === "cases") return { form: t("Add or enable a case first.") };
  if (path.startsWith("judge")) {
    return { form: t("Some cases have rubrics: choose a judge model in the settings.") };
  }
  return { form: translateMessage(message) };
}
