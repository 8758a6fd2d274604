import type { Rehearsals } from "../../services/rehearsals/rehearsals.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { type Rehearsal, REHEARSAL_BOUNDS, REHEARSED_RUNS } from "../../schemas/rehearsal.ts";
import { translateMessage } from "../texts/service_message.ts";
import { t } from "../texts/translate.ts";

/** The form's texts, as they were entered. */
export interface RehearsalValues {
  version: string;
  runs: string;
  only: string;
  budget: string;
}

export type RehearsalIssues = { [Field in keyof RehearsalValues | "form"]?: string };

export const DEFAULT_REHEARSAL: RehearsalValues = {
  version: "",
  runs: "20",
  only: "all",
  budget: "1",
};

export function readRehearsalForm(form: URLSearchParams): RehearsalValues {
  const read = (name: keyof RehearsalValues) => form.get(name)?.trim() ?? "";
  return {
    version: read("version"),
    runs: read("runs"),
    only: read("only"),
    budget: read("budget"),
  };
}

/** Starts a rehearsal; expected errors become messages of the form, others are thrown. */
export async function startRehearsal(
  rehearsals: Pick<Rehearsals, "start">,
  of: Parameters<Rehearsals["start"]>[0],
  values: RehearsalValues,
): Promise<{ begun: Rehearsal } | { issues: RehearsalIssues; status: number }> {
  try {
    return { begun: await rehearsals.start(of, toBody(values)) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code } = error;
    if (code === "plan_limit_exceeded") {
      return {
        status,
        issues: { budget: t("Your organization's day does not have this much left.") },
      };
    }
    if (code === "rate_limit_exceeded") {
      return { status, issues: { budget: translateMessage(error.message) } };
    }
    if (code !== "schema_validation_failed") throw error;
    const issues = (error.details?.issues ?? []) as ValidationIssue[];
    return { status, issues: Object.assign({}, ...issues.map(toFormIssue)) };
  }
}

function toBody({ version, runs, only, budget }: RehearsalValues) {
  return {
    ...version !== "" && { version: Number(version) },
    runs: Number(runs),
    only: REHEARSED_RUNS.find((one) => one === only) ?? "all",
    budgetUsd: Number(budget.replace(",", ".")),
  };
}

function toFormIssue({ path }: ValidationIssue): RehearsalIssues {
  const { runs, budgetUsd } = REHEARSAL_BOUNDS;
  if (path === "runs") return { runs: t("Enter a number from 1 to {runs}.", { runs }) };
  if (path === "budgetUsd") {
    return { budget: t("Enter an amount above 0, up to {budgetUsd} USD.", { budgetUsd }) };
  }
  return { form: t("This version does not exist any more.") };
}
