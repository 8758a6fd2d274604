import type { AgentService } from "../../admin/agent_admin.ts";
import { ApiError } from "../../errors.ts";

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
