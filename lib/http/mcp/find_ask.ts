import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import { parseOrThrow } from "../../schemas/api_error.ts";
import { askAgentInputSchema, askInputSchema } from "../../schemas/mcp.ts";
import type { ApiKeyIdentity } from "../../store/credentials/api_key_store.ts";
import { canReachAgent, checkAgent } from "../agent_access.ts";
import { isUuid } from "../request_params.ts";
import type { Service } from "../service.ts";
import { agentTools, mayAsk, mayNameAgents } from "./mcp_tools.ts";
import type { Ask } from "./start_ask.ts";
import { ASK_AGENT } from "./tool_names.ts";
import { toolErrorResult } from "./tool_result.ts";

/** Agents with the searched name to look at. */
const MAX_NAMED = 100;

/** What a tool asks of which agent, an error for the model, or `undefined` for an unknown tool. */
export async function findAsk(
  service: Pick<Service, "agents">,
  { identity, tool, input }: { identity: ApiKeyIdentity; tool: string; input: unknown },
): Promise<{ ask: Ask } | { result: CallToolResult } | undefined> {
  if (!mayAsk(identity)) return undefined;
  if (tool !== ASK_AGENT) {
    const agent = (await agentTools(service, identity)).get(tool);
    return agent && { ask: { agentId: agent.id, ...parseOrThrow(askInputSchema, input) } };
  }
  const { agent, ...asked } = parseOrThrow(askAgentInputSchema, input);
  const found = isUuid(agent)
    ? agent.toLowerCase()
    : await findByName(service, { identity, name: agent });
  if (typeof found !== "string") return { result: found };
  checkAgent(identity, found);
  return { ask: { agentId: found, ...asked } };
}

async function findByName(
  { agents }: Pick<Service, "agents">,
  { identity, name }: { identity: ApiKeyIdentity; name: string },
): Promise<string | CallToolResult> {
  if (!mayNameAgents(identity)) {
    return toolErrorResult(
      "agent: this API key needs an agent's id, because it may not read names",
    );
  }
  const { data } = await agents.search(identity.tenant, { query: name, limit: MAX_NAMED });
  const wanted = name.trim().toLowerCase();
  const [agent, second] = data.filter((one) =>
    one.name.trim().toLowerCase() === wanted && canReachAgent(identity, one.id)
  );
  if (agent === undefined) return toolErrorResult("there is no agent with this name");
  return second === undefined
    ? agent.id
    : toolErrorResult("several agents have this name; use the id of one");
}
