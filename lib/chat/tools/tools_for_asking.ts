import type { ToolsetRequest } from "../../agent/tools/toolset_factory.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ToolDefinition } from "../../schemas/tool_definition.ts";

/**
 * An agent as it answers another one: with its own tools, domains and knowledge, and without what needs a
 * visitor. It neither hands off nor remembers, and has neither a page nor a person to approve its calls.
 */
export function toolsForAsking(agent: Agent): ToolsetRequest["agent"] {
  const { id, allowedDomains, knowledgeBaseId, budget, variables } = agent;
  const tools = agent.tools.filter((tool) => !needsPerson(tool));
  return {
    ...{ id, tools, allowedDomains, budget, variables },
    ...knowledgeBaseId !== undefined && { knowledgeBaseId },
  };
}

function needsPerson(tool: ToolDefinition): boolean {
  const { approval = "never", type } = tool as { approval?: string; type: string };
  return approval !== "never" || type === "client";
}
