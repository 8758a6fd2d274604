/** An agent that is published, and everything that can be done with it. */
import type { Agent } from "@/lib/schemas/agent.ts";
import type { Publication } from "@/lib/schemas/publication.ts";
import { startProviders, text } from "./asked_agents.ts";
import { expectJson } from "./expect_response.ts";
import { readFrames, textOf } from "./frames.ts";
import { MockProviders, type MockRequest } from "./mock_providers/mock_providers.ts";
import type { Script } from "./mock_providers/script.ts";
import type { ProviderServiceOptions } from "./provider_service.ts";
import { onPage, ORIGIN, say } from "./widget_calls.ts";

/** Says what the prompt says. */
export function prompt({ body }: MockRequest) {
  const [system] = body.messages as { content: string }[];
  return text(system!.content);
}

/** The agent's prompt is `one`; what it answers is its prompt, unless `answer` says otherwise. */
export async function openPublishing(
  change: Record<string, unknown> = {},
  { answer = prompt, ...options }: ProviderServiceOptions & {
    answer?: (request: MockRequest) => Script;
  } = {},
) {
  const mock = await MockProviders.start({ otherwise: answer });
  const on = await startProviders(mock, options);
  const { service } = on;
  const fields = { systemPrompt: "one", allowedOrigins: [ORIGIN], ...change };
  const { id } = await on.agent("vendor_a", fields);
  const key = await service.key([
    "agents:write",
    "widget:mint",
    "conversations:read",
  ]);
  const path = `/v1/agents/${id}`;
  const save = async (json: unknown): Promise<Agent> =>
    await expectJson(await service.fetch(path, { method: "PATCH", key, json }), 200);
  const put = (json: unknown, headers: HeadersInit = {}) =>
    service.fetch(`${path}/publication`, { method: "PUT", key, json, headers });
  const publish = async (json: unknown): Promise<Publication> =>
    await expectJson(await put(json), 200);
  const read = () => service.fetch(`${path}/publication`, { key });
  const byKey = async () =>
    textOf(
      await readFrames(
        await service.fetch("/v1/chat/stream", {
          ...{ method: "POST", key, json: { agentId: id, messages: [say("Hello")] } },
        }),
      ),
    );
  const onSite = async (sessionToken: string) =>
    textOf(await readFrames(await onPage(service, { agent: { id }, sessionToken })));
  return {
    ...{
      id,
      key,
      path,
      service,
      kv: on.kv,
      another: () => on.startAnother(),
      save,
      put,
      publish,
      read,
      byKey,
      onSite,
    },
    async [Symbol.asyncDispose]() {
      await on[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}
