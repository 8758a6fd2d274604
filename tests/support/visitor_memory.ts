import type { Fact } from "@/lib/schemas/memory.ts";
import { expectJson } from "./expect_response.ts";
import { readFrames } from "./frames.ts";
import type { MockProviders } from "./mock_providers/mock_providers.ts";
import type { Script } from "./mock_providers/script.ts";
import { ProviderService } from "./provider_service.ts";
import { onPage, ORIGIN, say } from "./widget_calls.ts";

export const MEMORY = { memory: { enabled: true, instructions: "Only about deliveries." } };

/** The model remembers a fact. */
export const remember = (args: Record<string, unknown>): Script => ({
  say: [{ calls: [{ id: "c1", name: "remember", args: [JSON.stringify(args)] }] }],
});

/** A service with an agent that remembers, on a model that follows scripts. */
export async function startMemory(mock: MockProviders, change: Record<string, unknown> = {}) {
  const on = await ProviderService.start(mock);
  const { service } = on;
  const key = await service.key(["agents:write", "widget:mint", "conversations:write"]);
  const agent = await on.agent("vendor_a", { allowedOrigins: [ORIGIN], ...MEMORY, ...change });
  const mint = async (visitor?: string, agentId = agent.id): Promise<string> => {
    const json = { agentId, ...visitor && { visitor: { id: visitor } } };
    const post = { method: "POST", key, json, headers: { origin: ORIGIN } };
    return (await expectJson(await service.fetch("/v1/widget/session", post), 201)).sessionToken;
  };
  const ask = async (sessionToken: string, text = "Hi") => {
    const body = { messages: [say(text)] };
    return await readFrames(await onPage(service, { agent, sessionToken, body }));
  };
  const call = (token: string, path = "", init: { method?: string; json?: unknown } = {}) =>
    service.fetch(`/v1/chat/memory${path}`, {
      ...init,
      headers: { "x-service-session": token, origin: ORIGIN },
    });
  const facts = async (token: string): Promise<Fact[]> =>
    (await expectJson(await call(token), 200)).facts;
  return {
    ...{ on, service, key, agent, mint, ask, call, facts, kv: on.kv },
    [Symbol.asyncDispose]: () => on[Symbol.asyncDispose](),
  };
}

/** The system prompt of a request. */
export const systemOf = ({ body }: MockProviders["requests"][number]): string =>
  body.messages[0].content;
