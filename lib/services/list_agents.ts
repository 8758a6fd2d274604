import type { Agent } from "../schemas/agent.ts";
import type { AgentStore } from "../store/agents/agent_store.ts";
import type { Page, PageRequest } from "../store/values/page.ts";

/** All agents of a tenant, or those with a few ids, newest first. Ids without an agent are skipped. */
export async function listAgents(
  store: Pick<AgentStore, "get" | "list">,
  { tenant, ids }: { tenant: string; ids: readonly string[] | undefined },
  { limit, cursor }: PageRequest,
): Promise<Page<Agent>> {
  if (ids === undefined) return await store.list(tenant, { limit, cursor });
  const found = await Promise.all(ids.map((id) => store.get(tenant, id)));
  const agents = found.filter((agent) => agent !== undefined).sort(byCreation);
  // Of a few, the cursor is a position.
  const from = Number(cursor ?? 0);
  const end = from + limit;
  const data = agents.slice(from, end);
  return end < agents.length ? { data, nextCursor: String(end) } : { data };
}

function byCreation(a: Agent, b: Agent): number {
  return b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id);
}
