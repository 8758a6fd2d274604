import { ApiError } from "../errors.ts";
import type { Agent } from "../wire/agent.ts";
import type { ValidationIssue } from "../wire/error_codes.ts";
import type { AgentFormValues } from "./agent_form.ts";
import { type AgentFormFaults, toAgentFormFaults } from "./agent_form_faults.ts";

/** The stored agent, or what to put right in the form and the status to say so with. */
export type SaveOutcome = { agent: Agent } | { status: number; faults: AgentFormFaults };

/** Runs a save of the editor; refusals become faults of its form, other errors stay errors. */
export async function saveAgent(
  values: AgentFormValues,
  save: () => Promise<Agent>,
): Promise<SaveOutcome> {
  try {
    return { agent: await save() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "schema_validation_failed") {
      const issues = (error.details?.issues ?? []) as ValidationIssue[];
      return { status: 400, faults: toAgentFormFaults(issues, values) };
    }
    if (error.code === "payload_too_large") {
      return { status: 413, faults: { form: "This agent is too large to be saved." } };
    }
    if (error.code === "version_conflict") {
      const form = "Someone else changed this agent after you opened it. What you typed is still " +
        "here: copy what you need, then reload the page.";
      return { status: 412, faults: { form } };
    }
    throw error;
  }
}
