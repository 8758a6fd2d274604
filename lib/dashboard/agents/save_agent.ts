import { ApiError } from "../../schemas/api_error.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { quotaMessage } from "../quota_message.ts";
import type { AgentFormValues } from "./agent_form.ts";
import { type AgentFormIssues, toAgentFormIssues } from "./agent_form_issues.ts";
import { t } from "../texts/translate.ts";

/** Saves an agent; expected errors become messages of the form, others are thrown. */
export async function saveAgent(
  values: AgentFormValues,
  save: () => Promise<Agent>,
): Promise<{ agent: Agent } | { status: number; issues: AgentFormIssues }> {
  try {
    return { agent: await save() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const issues = toFormIssues(error, values);
    if (issues !== undefined) return { status: 400, issues };
    const quota = quotaMessage(error);
    if (quota !== undefined) return { status: error.status, issues: { form: quota } };
    if (error.code === "payload_too_large") {
      return { status: 413, issues: { form: t("This agent is too large to save.") } };
    }
    if (error.code === "version_conflict") {
      const form = t(
        "Someone else changed this page after you opened it. Your changes are still here. Open the current version to apply them to it.",
      );
      return { status: 412, issues: { form } };
    }
    throw error;
  }
}

export function toFormIssues(error: unknown, values: AgentFormValues): AgentFormIssues | undefined {
  if (!(error instanceof ApiError) || error.code !== "schema_validation_failed") return undefined;
  return toAgentFormIssues((error.details?.issues ?? []) as ValidationIssue[], values);
}
