import { SEARCH_KNOWLEDGE } from "../agent/tools/search_knowledge_tool.ts";
import { toolFaults } from "../agent/tools/tool_faults.ts";
import type { AgentBody } from "../wire/agent.ts";
import type { ValidationIssue } from "../wire/error_codes.ts";
import type { KnowledgeAdmin } from "./knowledge_admin.ts";
import type { ModelAccess } from "./model_access.ts";

/** Where what an agent points at is looked up. */
export interface References {
  models: ModelAccess;
  knowledge: Pick<KnowledgeAdmin, "find">;
}

/**
 * What is wrong with what an agent points at: models, tools and a knowledge base must be the tenant's
 * to use, and usable at all. Tools and base that the agent had `before` were looked into when they
 * came: a base that has gone since, or a rule that is newer, must not keep it from being changed.
 */
export async function referenceFaults(
  { models, knowledge }: References,
  { tenant, agent, before }: { tenant: string; agent: AgentBody; before?: AgentBody | undefined },
): Promise<ValidationIssue[]> {
  const issues = await models.issues(tenant, agent.modelPolicy, "modelPolicy.model");
  if (agent.fallback !== undefined) {
    issues.push(...await models.issues(tenant, agent.fallback, "fallback.model"));
  }
  const { knowledgeBaseId } = agent;
  const isNew = knowledgeBaseId !== undefined && knowledgeBaseId !== before?.knowledgeBaseId;
  if (isNew && await knowledge.find(tenant, knowledgeBaseId) === undefined) {
    const message = "is not one of your knowledge bases";
    issues.push({ path: "knowledgeBaseId", code: "unknown_knowledge_base", message });
  }
  if (before === undefined || !hidesTool(before)) issues.push(...hiddenTools(agent));
  issues.push(...await toolFaults(agent.tools, { kept: before?.tools }));
  return issues;
}

/** Tools that no model would be told of, because the knowledge base comes with one of that name. */
function hiddenTools({ tools, knowledgeBaseId }: AgentBody): ValidationIssue[] {
  if (knowledgeBaseId === undefined) return [];
  const message = "is the name of the tool that the knowledge base comes with";
  return tools.flatMap(({ type, name }, n) =>
    // An MCP server's name is none of a tool.
    type === "http" && name === SEARCH_KNOWLEDGE
      ? [{ path: `tools.${n}.name`, code: "reserved_name", message }]
      : []
  );
}

function hidesTool(agent: AgentBody): boolean {
  return hiddenTools(agent).length > 0;
}
