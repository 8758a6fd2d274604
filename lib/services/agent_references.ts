import { SEARCH_KNOWLEDGE } from "../agent/tools/search_knowledge_tool.ts";
import { SUGGEST_FOLLOW_UPS } from "../agent/tools/suggest_follow_ups_tool.ts";
import { promptIssues } from "../agent/visitor_variables.ts";
import { secretNames } from "../agent/tools/template.ts";
import { responseSchemaIssues, toolIssues, visitorIssues } from "../agent/tools/tool_issues.ts";
import type { Agent, AgentBody } from "../schemas/agent.ts";
import { GUARDRAIL_SIDES } from "../schemas/guardrails.ts";
import { HAND_OFF } from "../schemas/handoff.ts";
import { FORGET, REMEMBER } from "../schemas/memory.ts";
import { isRemoteTool } from "../schemas/tool_definition.ts";
import type { ValidationIssue } from "../schemas/error_codes.ts";
import { askedAgentIssues } from "./asked_agent_issues.ts";
import type { KnowledgeService } from "./knowledge_service.ts";
import type { ModelAccess } from "../billing/model_access.ts";

export interface ReferenceLookups {
  agents: { get(tenant: string, id: string): Promise<Agent | undefined> };
  models: ModelAccess;
  knowledge: Pick<KnowledgeService, "find">;
  /** The tenant's plan: how long it stores conversations. */
  tenants: { plan(tenant: string): Promise<{ conversationDays: number }> };
  /** The only agent that may use a secret; `undefined` if the secret is not bound to one. */
  secrets: { agentOf(tenant: string, name: string): Promise<string | undefined> };
}

/** An agent about to be stored. `id` and `before` are set if it is already stored. */
export interface ReferencingAgent {
  tenant: string;
  id?: string | undefined;
  agent: AgentBody;
  before?: AgentBody | undefined;
}

/**
 * Checks what an agent refers to: models, tools and knowledge base must be usable by the tenant. Tools
 * and base that the agent already had (`before`) are not checked again: a deleted base or a newer rule
 * must not block other changes. Secrets of other agents are always checked, because a tool that uses one
 * fails on each call.
 */
export async function referenceIssues(
  { agents, models, knowledge, secrets, tenants }: ReferenceLookups,
  { tenant, id, agent, before }: ReferencingAgent,
): Promise<ValidationIssue[]> {
  const issues = await models.issues(tenant, agent.modelPolicy, "modelPolicy.model");
  if (agent.fallback !== undefined) {
    issues.push(...await models.issues(tenant, agent.fallback, "fallback.model"));
  }
  if (agent.rerank !== undefined) {
    issues.push(...await models.issues(tenant, agent.rerank, "rerank.model"));
  }
  for (const side of GUARDRAIL_SIDES) {
    const classifier = agent.guardrails?.[side]?.classifier;
    if (classifier === undefined) continue;
    issues.push(...await models.issues(tenant, classifier, `guardrails.${side}.classifier.model`));
  }
  const { knowledgeBaseId } = agent;
  const isNew = knowledgeBaseId !== undefined && knowledgeBaseId !== before?.knowledgeBaseId;
  if (isNew && await knowledge.find(tenant, knowledgeBaseId) === undefined) {
    const message = "is not one of your knowledge bases";
    issues.push({ path: "knowledgeBaseId", code: "unknown_knowledge_base", message });
  }
  if (before === undefined || hiddenTools(before).length === 0) issues.push(...hiddenTools(agent));
  issues.push(...await retentionIssues({ tenant, agent, before, tenants }));
  issues.push(...await toolIssues(agent.tools, { unchanged: before?.tools }));
  issues.push(...await responseSchemaIssues(agent, before));
  issues.push(...variableIssues(agent, before));
  const find = (asked: string) => agents.get(tenant, asked);
  issues.push(...await askedAgentIssues({ id, agent, before, find }));
  issues.push(...await foreignSecrets(agent.tools, { tenant, id, secrets }));
  return issues;
}

/**
 * An agent stores conversations at most as long as the plan, and hand-off and memory require stored ones. A lowered
 * plan must not block other changes.
 */
async function retentionIssues(
  { tenant, agent, before, tenants }:
    & ReferencingAgent
    & Pick<ReferenceLookups, "tenants">,
): Promise<ValidationIssue[]> {
  const { handoff, memory, retentionDays } = agent;
  if (!handoff?.enabled && !memory?.enabled && retentionDays === undefined) return [];
  const { conversationDays } = await tenants.plan(tenant);
  const issues: ValidationIssue[] = [];
  const isNew = retentionDays !== before?.retentionDays;
  if (isNew && retentionDays !== undefined && retentionDays > conversationDays) {
    const message =
      `must be at most ${conversationDays}, as many as your plan stores conversations`;
    issues.push({ path: "retentionDays", code: "exceeds_plan", message });
  }
  for (const field of ["handoff", "memory"] as const) {
    const path = `${field}.enabled`;
    if (!agent[field]?.enabled) continue;
    if (conversationDays === 0) {
      const message = "requires a plan that stores conversations, and yours stores none";
      issues.push({ path, code: "conversations_not_stored", message });
    } else if (retentionDays === 0) {
      const message = "requires stored conversations, and this agent keeps none";
      issues.push({ path, code: "agent_keeps_nothing", message });
    }
  }
  return issues;
}

async function foreignSecrets(
  tools: AgentBody["tools"],
  { tenant, id, secrets }:
    & Pick<ReferencingAgent, "tenant" | "id">
    & Pick<ReferenceLookups, "secrets">,
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  for (const [n, tool] of tools.entries()) {
    if (!isRemoteTool(tool)) continue;
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

/** Placeholders without a variable; those that the agent already had must not block other changes. */
function variableIssues(agent: AgentBody, before: AgentBody | undefined): ValidationIssue[] {
  const issuesOf = ({ systemPrompt, tools, variables }: AgentBody) => [
    ...promptIssues(systemPrompt, variables),
    ...visitorIssues(tools, variables),
  ];
  const known = new Set(before && issuesOf(before).map(({ message }) => message));
  return issuesOf(agent).filter(({ message }) => !known.has(message));
}

/** Reports tools hidden from the model by a tool of the service that has the same name. */
function hiddenTools(
  { tools, knowledgeBaseId, handoff, followUps, memory }: AgentBody,
): ValidationIssue[] {
  const reserved = new Map<string, string>();
  if (knowledgeBaseId !== undefined) {
    reserved.set(SEARCH_KNOWLEDGE, "is the name of the knowledge base's tool");
  }
  if (handoff?.by.includes("model")) reserved.set(HAND_OFF, "is the name of the hand-off tool");
  if (followUps) {
    reserved.set(SUGGEST_FOLLOW_UPS, "is the name of the tool for follow-up questions");
  }
  if (memory !== undefined) {
    for (const name of [REMEMBER, FORGET]) reserved.set(name, "is the name of a tool for memory");
  }
  return tools.flatMap(({ type, name }, n) => {
    // The name of an MCP server is not a tool name.
    const message = type === "mcp" ? undefined : reserved.get(name);
    return message === undefined
      ? []
      : [{ path: `tools.${n}.name`, code: "reserved_name", message }];
  });
}
