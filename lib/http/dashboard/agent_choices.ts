import type { AgentService } from "../../admin/agent_admin.ts";
import { loadAgentNames } from "./agent_names.ts";

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
