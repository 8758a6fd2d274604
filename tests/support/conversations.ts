import { assert, assertEquals } from "@std/assert";
import type { Conversation, Transcript } from "@/lib/schemas/conversation.ts";
import { expectJson } from "./expect_response.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { readFrames } from "./frames.ts";
import { TestService, type TestServiceOptions } from "./service.ts";
import { onPage, ORIGIN, say } from "./widget_calls.ts";
import { openTestKv } from "./open_kv.ts";

/** A service on an accessible store, with an agent and a key with all scopes. */
export async function openConversations(options: TestServiceOptions = {}) {
  const kv = await openTestKv();
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime, kv, keepKv: true, ...options });
  const key = await service.key([
    "agents:write",
    "widget:mint",
    "billing:read",
    "conversations:write",
  ]);
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  /** One message on the page, to its end. */
  const chat = async (content: string, body: Record<string, unknown> = {}) => {
    const messages = [say(content)];
    return await ended(await onPage(service, { agent, sessionToken, body: { messages, ...body } }));
  };
  const get = (id: string, query = "") => service.fetch(`/v1/conversations/${id}${query}`, { key });
  const transcript = async (id: string, query = ""): Promise<Transcript> =>
    await expectJson(await get(id, query), 200);
  const list = async (query = ""): Promise<{ data: Conversation[]; nextCursor?: string }> =>
    await expectJson(await service.fetch(`/v1/conversations${query}`, { key }), 200);
  return {
    ...{ kv, service, key, agent, sessionToken, advance, runtime, chat, get, transcript, list },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

/** The ids and text that a client stores of a run. */
export async function ended(response: Response) {
  assertEquals(response.status, 200);
  const frames = (await readFrames(response)).map(({ frame }) => frame);
  const first = frames[0]!;
  assert(first.type === "start" && frames.at(-1)?.type === "done");
  const text = frames.map((frame) => (frame.type === "delta" ? frame.text : "")).join("");
  return { runId: first.runId, id: first.conversationId, text };
}
