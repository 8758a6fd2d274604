import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { EgressAllowlist } from "../../egress/egress_allowlist.ts";
import type { ToolDefinition } from "../../schemas/tool_definition.ts";
import { signedIn } from "../authorization.ts";
import type { AgentFormValues } from "./agent_form.ts";
import type { AgentFormIssues } from "./agent_form_issues.ts";
import { findToolProblems } from "./find_tool_problems.ts";
import { toolErrorText, type ToolProblem, type ToolReport } from "./tool_problem.ts";

/** Checks the tools in a form; those `unchanged` since an earlier save as in saving. */
export async function loadToolReport(
  { state }: Context<State>,
  values: Pick<AgentFormValues, "tools" | "allowedDomains" | "variables">,
  unchanged?: readonly ToolDefinition[],
): Promise<ToolReport> {
  const { tenant, operator } = signedIn(state);
  const { egressAllow } = state.service.config;
  const problems = await findToolProblems(values, {
    ...{ tenant, unchanged, isOperator: operator },
    allow: new EgressAllowlist(egressAllow),
  });
  const setting = operator ? egressSetting(problems, { tenant, egressAllow }) : undefined;
  const servers = await loadServerStates(state);
  return { problems, servers, ...setting !== undefined && { setting } };
}

async function loadServerStates(state: State): Promise<NonNullable<ToolReport["servers"]>> {
  const { tenant } = signedIn(state);
  const list = await state.service.mcpAuthorizations.list(tenant);
  return Object.fromEntries(list.map(({ url, state }) => [
    url,
    state === "connected" ? "connected" as const : "attention" as const,
  ]));
}

/** The line of the configuration that allows the hosts of all tools, with the entries of today. */
function egressSetting(
  problems: readonly ToolProblem[],
  { tenant, egressAllow }: { tenant: string; egressAllow: readonly string[] },
): string | undefined {
  const hosts = new Set(problems.flatMap(({ blockedHost }) => blockedHost ?? []));
  if (hosts.size === 0) return undefined;
  const entries = [...hosts].map((host) => `${tenant}=${host}`);
  return `EGRESS_ALLOW=${[...egressAllow, ...entries].join(",")}`;
}

/** Validation names the first problem of the tools only; this message has all of them. */
export function withToolProblems(
  issues: AgentFormIssues,
  { problems }: ToolReport,
): AgentFormIssues {
  const text = toolErrorText(problems);
  if (text === undefined) return issues;
  // A message about the list as a whole, such as too many tools, stays.
  const about = issues.tools === undefined || /^Tool \d/.test(issues.tools) ? [] : [issues.tools];
  return { ...issues, tools: [...about, text].join("\n") };
}
