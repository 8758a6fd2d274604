import type { AgentService } from "../../services/agent_service.ts";
import { ApiError } from "../../schemas/api_error.ts";

/** Reads that go on at once. */
const CONCURRENCY = 50;

/** Names of agents by their ids; one that has been deleted has none. */
export async function loadAgentNames(
  ids: Iterable<string>,
  of: { tenant: string; agents: Pick<AgentService, "get"> },
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)];
  const names = new Map<string, string>();
  for (let at = 0; at < wanted.length; at += CONCURRENCY) {
    await Promise.all(
      wanted.slice(at, at + CONCURRENCY).map(async (id) => {
        const name = await nameOf(id, of);
        if (name !== undefined) names.set(id, name);
      }),
    );
  }
  return names;
}

async function nameOf(
  id: string,
  { tenant, agents }: { tenant: string; agents: Pick<AgentService, "get"> },
): Promise<string | undefined> {
  try {
    return (await agents.get(tenant, id)).name;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** How many agents a form offers. */
const MAX_CHOICES = 50;

/** An agent that a form offers. */
export interface AgentChoice {
  id: string;
  name: string;
}

/** The newest agents, and the chosen one whatever its age; one that is gone is called so. */
export async function loadAgentChoices(
  agents: Pick<AgentService, "get" | "list">,
  { tenant, chosen }: { tenant: string; chosen: string },
): Promise<{ agents: AgentChoice[]; more: boolean }> {
  const { data, nextCursor } = await agents.list(tenant, { limit: MAX_CHOICES });
  const offered = data.map(({ id, name }) => ({ id, name }));
  if (chosen !== "" && !offered.some(({ id }) => id === chosen)) {
    const name = (await loadAgentNames([chosen], { tenant, agents })).get(chosen);
    offered.unshift({ id: chosen, name: name ?? `${chosen} (deleted)` });
  }
  return { agents: offered, more: nextCursor !== undefined };
}
