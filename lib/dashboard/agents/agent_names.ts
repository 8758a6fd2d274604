import type { AgentService } from "../../services/agent_service.ts";
import { undefinedIfNotFound } from "../../http/request_params.ts";

/** Concurrent reads. */
const CONCURRENCY = 50;
const MAX_CHOICES = 50;

/** Names of agents by id; deleted agents are missing. */
export async function loadAgentNames(
  ids: Iterable<string>,
  { tenant, agents }: { tenant: string; agents: Pick<AgentService, "get"> },
): Promise<Map<string, string>> {
  const uniqueIds = [...new Set(ids)];
  const names = new Map<string, string>();
  for (let at = 0; at < uniqueIds.length; at += CONCURRENCY) {
    await Promise.all(
      uniqueIds.slice(at, at + CONCURRENCY).map(async (id) => {
        const agent = await undefinedIfNotFound(() => agents.get(tenant, id));
        if (agent !== undefined) names.set(id, agent.name);
      }),
    );
  }
  return names;
}

/** The newest agents plus the chosen one, which may be deleted. */
export async function loadAgentChoices(
  agents: Pick<AgentService, "get" | "list">,
  { tenant, chosen }: { tenant: string; chosen: string },
): Promise<{ agents: { id: string; name: string }[]; more: boolean }> {
  const { data, nextCursor } = await agents.list(tenant, { limit: MAX_CHOICES });
  const choices = data.map(({ id, name }) => ({ id, name }));
  if (chosen !== "" && !choices.some(({ id }) => id === chosen)) {
    const name = (await loadAgentNames([chosen], { tenant, agents })).get(chosen);
    choices.unshift({ id: chosen, name: name ?? `${chosen} (deleted)` });
  }
  return { agents: choices, more: nextCursor !== undefined };
}
