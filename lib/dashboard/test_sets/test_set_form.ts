import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { TestSet } from "../../schemas/test_set.ts";
import { splitModel } from "../../billing/usage_report.ts";
import { quotaMessage } from "../quota_message.ts";
import { translateMessage } from "../texts/service_message.ts";
import { t } from "../texts/translate.ts";

/** The form's texts, as they were entered. */
export interface TestSetValues {
  name: string;
  agentId: string;
  /** Percent. */
  threshold: string;
  /** `<provider>/<model>`, or blank. */
  judge: string;
  budget: string;
}

export type TestSetIssues = { [Field in keyof TestSetValues | "form"]?: string };

export const EMPTY_TEST_SET: TestSetValues = {
  name: "",
  agentId: "",
  threshold: "100",
  judge: "",
  budget: "1",
};

export function testSetValues(
  { name, agentId, threshold, judge, budgetUsd }: TestSet,
): TestSetValues {
  return {
    ...{ name, agentId, budget: String(budgetUsd) },
    threshold: String(Math.round(threshold * 10_000) / 100),
    judge: judge === undefined ? "" : `${judge.provider}/${judge.model}`,
  };
}

export function readTestSetForm(form: URLSearchParams): TestSetValues {
  const read = (name: keyof TestSetValues) => form.get(name)?.trim() ?? "";
  return {
    name: read("name"),
    agentId: read("agentId"),
    threshold: read("threshold"),
    judge: read("judge"),
    budget: read("budget"),
  };
}

/** The body of a new set, or, with `null` for no judge, of a change. */
export function testSetBody(
  { name, agentId, threshold, judge, budget }: TestSetValues,
  { none }: { none: null | undefined },
): Record<string, unknown> {
  const model = judge === "" ? none : splitModel(judge);
  return {
    ...{ name, agentId },
    threshold: Number(threshold.replace(",", ".")) / 100,
    ...model !== undefined && { judge: model },
    budgetUsd: Number(budget.replace(",", ".")),
  };
}

/** Stores a set; expected errors become messages of the form, others are thrown. */
export async function saveTestSet(
  save: () => Promise<TestSet>,
): Promise<{ set: TestSet } | { issues: TestSetIssues; status: number }> {
  try {
    return { set: await save() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const issues = (error.details?.issues ?? []) as ValidationIssue[];
    if (issues.length === 0) {
      return {
        issues: { form: quotaMessage(error) ?? translateMessage(error.message) },
        status: error.status,
      };
    }
    return { issues: Object.assign({}, ...issues.map(toFormIssue)), status: error.status };
  }
}

function toFormIssue({ path, message }: ValidationIssue): TestSetIssues {
  if (path === "threshold") return { threshold: t("Enter a number from 0 to 100.") };
  if (path === "budgetUsd") return { budget: t("Enter an amount above 0, up to 100 USD.") };
  if (path === "agentId") return { agentId: t("Choose one of your agents.") };
  if (path.startsWith("judge")) return { judge: translateMessage(message) };
  return path === "name" ? { name: t("Enter a name.") } : { form: translateMessage(message) };
}
