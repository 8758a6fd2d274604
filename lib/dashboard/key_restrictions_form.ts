import type { AgentService } from "../services/agent_service.ts";
import { type KeyRestrictions, keyRestrictionsSchema } from "../schemas/api_key.ts";
import type { ApiKey } from "../store/credentials/api_key_store.ts";
import { loadAgentNames } from "./agents/agent_names.ts";
import { t } from "./texts/translate.ts";

/** Agents that a form offers besides those that are chosen. */
const MAX_OFFERED = 100;

/** What a form about a key's restrictions contains. */
export interface KeyRestrictionsInput {
  /** Restricted to `agents`; otherwise they are ignored. */
  someAgents: boolean;
  agents: readonly string[];
  /** One network per line, as typed. */
  addresses: string;
}

export type KeyRestrictionIssues = { agents?: string; addresses?: string };

/** The agents to choose from, and whether there are more. */
export interface OfferedAgents {
  agents: readonly { id: string; name: string }[];
  more: boolean;
}

export function readKeyRestrictions(form: URLSearchParams): KeyRestrictionsInput {
  return {
    someAgents: form.get("reach") === "some",
    agents: form.getAll("agents"),
    addresses: form.get("addresses") ?? "",
  };
}

export function restrictionsOf({ agents = [], addresses = [] }: ApiKey): KeyRestrictionsInput {
  return { someAgents: agents.length > 0, agents, addresses: addresses.join("\n") };
}

/** The restrictions, or a message for each field that is not valid. */
export function parseKeyRestrictions(
  { someAgents, agents, addresses }: KeyRestrictionsInput,
): { restrictions: KeyRestrictions } | { issues: KeyRestrictionIssues } {
  const ranges = addresses.split(/[\s,]+/).filter((entry) => entry !== "");
  const parsed = keyRestrictionsSchema.safeParse({
    ...someAgents && { agents },
    ...ranges.length > 0 && { addresses: ranges },
  });
  if (parsed.success) {
    const { agents, addresses } = parsed.data;
    return { restrictions: { agents, addresses } };
  }
  const [wrong] = parsed.error.issues;
  const entry = ranges[Number(wrong?.path[1])];
  return {
    issues: wrong?.path[0] === "agents" ? { agents: t("Choose 1 to 50 agents.") } : {
      addresses: entry === undefined
        ? t("Enter at most 50 networks.")
        : t("“{entry}” is not an IP address or network.", { entry }),
    },
  };
}

/** The newest agents and the chosen ones, which may be deleted. */
export async function offerAgents(
  agents: Pick<AgentService, "get" | "list">,
  { tenant, chosen }: { tenant: string; chosen: readonly string[] },
): Promise<OfferedAgents> {
  const { data, nextCursor } = await agents.list(tenant, { limit: MAX_OFFERED });
  const offered = data.map(({ id, name }) => ({ id, name }));
  const others = chosen.filter((id) => !offered.some((one) => one.id === id));
  const names = await loadAgentNames(others, { tenant, agents });
  const added = others.map((id) => ({ id, name: names.get(id) ?? `${id} (${t("deleted")})` }));
  return { agents: [...added, ...offered], more: nextCursor !== undefined };
}
