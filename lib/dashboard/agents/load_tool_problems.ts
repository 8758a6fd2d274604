import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { EgressAllowlist } from "../../egress/egress_allowlist.ts";
import type { ToolDefinition } from "../../schemas/tool_definition.ts";
import { signedIn } from "../authorization.ts";
import type { AgentFormValues } from "./agent_form.ts";
import type { AgentFormIssues } from "./agent_form_issues.ts";
import { findToolProblems } from "./find_tool_problems.ts";
import { toolErrorText, type ToolProblem } from "./tool_problem.ts";

/** The problems of the tools in a form; only operators see the line of the configuration. */
export function loadToolProblems(
  { state }: Context<State>,
  values: Pick<AgentFormValues, "tools" | "allowedDomains">,
  unchanged?: readonly ToolDefinition[],
): Promise<ToolProblem[]> {
  const { tenant, operator } = signedIn(state);
  const { egressAllow } = state.service.config;
  return findToolProblems(values, {
    ...{ tenant, unchanged },
    allow: new EgressAllowlist(egressAllow),
    operatorEntries: operator ? egressAllow : undefined,
  });
}

/** Validation names the first problem of the tools only; this message has all of them. */
export function withToolProblems(
  issues: AgentFormIssues,
  problems: readonly ToolProblem[],
): AgentFormIssues {
  const text = toolErrorText(problems);
  if (text === undefined) return issues;
  // A message about the list as a whole, such as too many tools, stays.
  const about = issues.tools === undefined || /^Tool \d/.test(issues.tools) ? [] : [issues.tools];
  return { ...issues, tools: [...about, text].join("\n") };
}
