import type { Agent, AgentBody } from "../schemas/agent.ts";
import type { ValidationIssue } from "../schemas/error_codes.ts";
import { AGENT_TOOL_BOUNDS } from "../schemas/limits.ts";

type FindAgent = (id: string) => Promise<Pick<Agent, "id" | "tools"> | undefined>;

/**
 * What is wrong with the agents that an agent asks: each must be the tenant's, none may lead back to the
 * agent, and none may lead further down than runs go. Agents that it already asked are not checked again:
 * they change on their own, and runs check them too.
 */
export async function askedAgentIssues(
  { id, agent, before, find }: {
    id?: string | undefined;
    agent: Pick<AgentBody, "tools">;
    before?: Pick<AgentBody, "tools"> | undefined;
    find: FindAgent;
  },
): Promise<ValidationIssue[]> {
  const known = new Set(before && askedIds(before));
  const issues: ValidationIssue[] = [];
  for (const [n, tool] of agent.tools.entries()) {
    if (tool.type !== "agent" || known.has(tool.agentId)) continue;
    const problem = await problemOf(tool.agentId, { id, find });
    if (problem !== undefined) issues.push({ path: `tools.${n}.agentId`, ...problem });
  }
  return issues;
}

type Problem = Omit<ValidationIssue, "path">;

const UNKNOWN: Problem = { code: "unknown_agent", message: "is not one of your agents" };
const CYCLE: Problem = { code: "agent_cycle", message: "would ask this agent in turn" };
const TOO_DEEP: Problem = {
  code: "agents_too_deep",
  message: "asks agents that ask others: at most two may follow one another",
};

async function problemOf(
  asked: string,
  { id, find }: { id?: string | undefined; find: FindAgent },
): Promise<Problem | undefined> {
  let level = [asked];
  for (let depth = 1; level.length > 0; depth++) {
    if (id !== undefined && level.includes(id)) return CYCLE;
    if (depth > AGENT_TOOL_BOUNDS.depth) return TOO_DEEP;
    const agents = await Promise.all(level.map(find));
    if (depth === 1 && agents[0] === undefined) return UNKNOWN;
    level = [...new Set(agents.flatMap((agent) => agent === undefined ? [] : askedIds(agent)))];
  }
}

function askedIds({ tools }: Pick<AgentBody, "tools">): string[] {
  return tools.flatMap((tool) => tool.type === "agent" ? [tool.agentId] : []);
}
