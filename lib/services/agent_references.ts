import { SEARCH_KNOWLEDGE } from "../agent/tools/search_knowledge_tool.ts";
import { secretNames } from "../agent/tools/template.ts";
import { toolIssues } from "../agent/tools/tool_issues.ts";
import type { AgentBody } from "../schemas/agent.ts";
import type { ValidationIssue } from "../schemas/error_codes.ts";
import type { KnowledgeService } from "./knowledge_service.ts";
import type { ModelAccess } from "../billing/model_access.ts";

/** Where what an agent points at is looked up. */
export interface ReferenceLookups {
  models: ModelAccess;
  knowledge: Pick<KnowledgeService, "find">;
  /** Which agent alone may use a secret, where it is bound to one. */
  secrets: { agentOf(tenant: string, name: string): Promise<string | undefined> };
}

/** An agent that is to be stored: what it would be, and what it is now unless it is new. */
export interface ReferencingAgent {
  tenant: string;
  /** Of one that is stored already. */
  id?: string | undefined;
  agent: AgentBody;
  before?: AgentBody | undefined;
}

/**
 * What is wrong with what an agent points at: models, tools and a knowledge base must be the tenant's
 * to use, and usable at all. Tools and base that the agent had `before` were looked into when they
 * came: a base that has gone since, or a rule that is newer, must not keep it from being changed. A
 * secret of another agent does, for with it in place the agent's tool fails at each call.
 */
export async function referenceIssues(
  { models, knowledge, secrets }: ReferenceLookups,
  { tenant, id, agent, before }: ReferencingAgent,
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
  issues.push(...await toolIssues(agent.tools, { kept: before?.tools }));
  issues.push(...await foreignSecrets(agent.tools, { tenant, id, secrets }));
  return issues;
}

/** Tools that name a secret which only another agent may use. */
async function foreignSecrets(
  tools: AgentBody["tools"],
  { tenant, id, secrets }:
    & Pick<ReferencingAgent, "tenant" | "id">
    & Pick<ReferenceLookups, "secrets">,
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  for (const [n, tool] of tools.entries()) {
    const path = tool.type === "http" ? `tools.${n}.request` : `tools.${n}.headers`;
    for (const name of secretNames(tool.type === "http" ? tool.request : tool.headers)) {
      const owner = await secrets.agentOf(tenant, name);
      if (owner === undefined || owner === id) continue;
      const message = `uses the secret ${name}, which is bound to another agent`;
      issues.push({ path, code: "secret_of_another_agent", message });
    }
  }
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
