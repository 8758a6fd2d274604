import { ApiError } from "../../schemas/api_error.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { quotaMessage } from "../quota_message.ts";
import type { AgentFormValues } from "./agent_form.ts";
import { type AgentFormIssues, toAgentFormIssues } from "./agent_form_issues.ts";

/** The stored agent, or what to put right in the form and the status to say so with. */
export type SaveAgentResult = { agent: Agent } | { status: number; faults: AgentFormIssues };

/** Runs a save of the editor; refusals become faults of its form, other errors stay errors. */
export async function saveAgent(
  values: AgentFormValues,
  save: () => Promise<Agent>,
): Promise<SaveAgentResult> {
  try {
    return { agent: await save() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const faults = toFormIssues(error, values);
    if (faults !== undefined) return { status: 400, faults };
    const full = quotaMessage(error);
    if (full !== undefined) return { status: error.status, faults: { form: full } };
    if (error.code === "payload_too_large") {
      return { status: 413, faults: { form: "This agent is too large to be saved." } };
    }
    if (error.code === "version_conflict") {
      const form = "Someone else changed this agent after you opened it. What you typed is still " +
        "here: copy what you need, then open the agent as it is now.";
      return { status: 412, faults: { form } };
    }
    throw error;
  }
}

/** What a refusal has found wrong with the form; `undefined` for any other error. */
export function toFormIssues(error: unknown, values: AgentFormValues): AgentFormIssues | undefined {
  if (!(error instanceof ApiError) || error.code !== "schema_validation_failed") return undefined;
  return toAgentFormIssues((error.details?.issues ?? []) as ValidationIssue[], values);
}
