/** Other clients' libraries talk to agents over real HTTP: AG-UI, LangChain, the AI SDK as a provider. */
import { HttpAgent } from "@ag-ui/client";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Agent } from "@/lib/schemas/agent.ts";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { generateText, streamText } from "./support/formats/ai_text.ts";
import { AI_SDKS } from "./support/formats/clients.ts";
import type { UiMessageFields } from "./support/formats/ai_sdk.d.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { SseText } from "./support/sse_text.ts";
import { ORIGIN } from "./support/widget_calls.ts";

const HELLO: Script = { say: [{ text: "Hello " }, { text: "world." }] };

async function open(scripts: readonly Script[] = []) {
  const left = [...scripts];
  const mock = await MockProviders.start({ otherwise: () => left.shift() ?? HELLO });
  const on = await ProviderService.start(mock);
  const agent = await on.agent("vendor_a", { allowedOrigins: [ORIGIN] });
  return {
    ...{ on, mock, agent, service: on.service, baseURL: `${on.service.url}/v1/openai` },
    async [Symbol.asyncDispose]() {
      await on[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}

Deno.test("LangChain: ChatOpenAI invokes and streams an agent, with its usage", async () => {
  await using fixture = await open();
  const { on, agent, baseURL } = fixture;
  // deno-lint-ignore no-explicit-any -- its types lose the usage
  const model: any = new ChatOpenAI({
    model: agent.id,
    apiKey: on.key,
    configuration: { baseURL },
  });
  const answer = await model.invoke("Hi");
  assertEquals([answer.content, answer.usage_metadata?.total_tokens], ["Hello world.", 40]);
  // deno-lint-ignore no-explicit-any -- as above
  const chunks: any[] = await Array.fromAsync(
    await model.stream([["system", "Short"], ["user", "Hi"]]),
  );
  assertEquals(chunks.map(({ content }) => content).join(""), "Hello world.");
  assertEquals(chunks.findLast((chunk) => chunk.usage_metadata)?.usage_metadata?.output_tokens, 15);
});

Deno.test("AI SDK: an agent is a model of an OpenAI-compatible provider", async () => {
  await using fixture = await open();
  const { on, agent, baseURL } = fixture;
  const provider = createOpenAICompatible({ name: "agents", apiKey: on.key, baseURL });
  const { text, finishReason, usage } = await generateText({
    ...{ model: provider(agent.id), prompt: "Hi" },
  });
  assertEquals([text, finishReason, usage.totalTokens], ["Hello world.", "stop", 40]);
  const { textStream } = streamText({ model: provider(agent.id), prompt: "Hi" });
  assertEquals((await Array.fromAsync(textStream)).join(""), "Hello world.");
});

/** What `@ag-ui/client` makes of a run with a key or a session. */
async function runAgUi(
  { service, agent }: { service: { url: string }; agent: Agent },
  { headers, threadId = "thread-1" }: { headers: Record<string, string>; threadId?: string },
) {
  const initialMessages = [{ id: "1", role: "user" as const, content: "Hi" }];
  const url = `${service.url}/v1/ag-ui/${agent.id}`;
  const client = new HttpAgent({ url, headers, threadId, initialMessages });
  const events: { type: string; [field: string]: unknown }[] = [];
  const result = await client.runAgent({}, {
    onEvent: ({ event }) => void events.push(event as never),
  });
  return { client, events, result };
}

Deno.test("AG-UI: its client runs an agent with a key, or with a session on its page", async () => {
  await using fixture = await open();
  const { on, agent, service } = fixture;
  const byKey = { authorization: `Bearer ${on.key}` };
  const token = await service.mint(on.key, agent.id, ORIGIN);
  const bySession = { "x-service-session": token, origin: ORIGIN };
  for (const headers of [byKey, bySession]) {
    const { client, events, result } = await runAgUi(fixture, { headers });
    assertEquals(client.messages.map(({ role, content }) => [role, content]), [
      ["user", "Hi"],
      ["assistant", "Hello world."],
    ]);
    assertEquals(result.result, { finishReason: "stop" });
    const types = events.map(({ type }) => type);
    assertEquals([types[0], types.at(-1)], ["RUN_STARTED", "RUN_FINISHED"]);
    assertEquals(events[0]?.threadId, "thread-1");
    assertEquals(events[0]?.runId, events.at(-1)?.runId);
  }
  const thread = crypto.randomUUID();
  const { events } = await runAgUi(fixture, { headers: byKey, threadId: thread });
  const run = events.find(({ name }) => name === "run")?.value as { conversationId: string };
  assertEquals(run.conversationId, thread);
  const usage = await (await service.fetch("/v1/usage", { key: on.key })).json();
  assertEquals(usage.byProtocol.map(({ protocol }: { protocol: string }) => protocol), ["ag-ui"]);
});

Deno.test("docs/ag-ui.md: its program prints the agent's answer on the agent's page", async () => {
  await using fixture = await open();
  const { on, agent, service } = fixture;
  const page = await Deno.readTextFile(new URL("../docs/ag-ui.md", import.meta.url));
  const [, program] = /^```js\n(.*?)^```/ms.exec(page)!;
  const body = program!.replace(/^import .*$/m, "")
    .replace(/"https:[^"]*"/, JSON.stringify(`${service.url}/v1/ag-ui/${agent.id}`));
  const printed: unknown[] = [];
  const run = new Function(
    "HttpAgent",
    "sessionToken",
    "console",
    `return (async () => {${body}})();`,
  );
  const sessionToken = await service.mint(on.key, agent.id, ORIGIN);
  await run(HttpAgent, sessionToken, { log: (value: unknown) => void printed.push(value) });
  assertEquals(printed, ["Hello world."]);
});

Deno.test("AG-UI: a failed run is RUN_ERROR, and a rejection its status with our envelope", async () => {
  const broken: Script = { say: [{ text: "Half" }, { error: "overloaded" }], end: "none" };
  await using fixture = await open([broken]);
  const { on, agent, service } = fixture;
  const headers = { authorization: `Bearer ${on.key}` };
  const { events, client } = await runAgUi(fixture, { headers }).catch((error) => {
    throw new Error(`the run threw ${error}`);
  });
  assertEquals(events.at(-1)?.code, "provider_error");
  assertEquals(client.messages.at(-1)?.content, "Half");
  await assertRejects(
    () => runAgUi(fixture, { headers: { authorization: "Bearer ck_live_nobody" } }),
    Error,
    "HTTP 401",
  );
  const post = (json: unknown, more: RequestInit = {}) =>
    service.fetch(`/v1/ag-ui/${agent.id}`, { method: "POST", key: on.key, json, ...more });
  const input = { threadId: "t", runId: "r", messages: [{ role: "user", content: "Hi" }] };
  await expectInvalid(await post({ ...input, threadId: "" }), ["threadId"]);
  await expectInvalid(await post({ ...input, messages: [] }), ["messages"]);
  await expectInvalid(await post({ ...input, messages: [{ role: "assistant", content: "x" }] }), [
    "messages",
  ]);
  const unknown = `/v1/ag-ui/${crypto.randomUUID()}`;
  await expectError(
    await service.fetch(unknown, { method: "POST", key: on.key, json: input }),
    "not_found",
  );
  assertEquals((await on.records()).length, 1);
});

/** A message in our own format whose answer is asked for in another. */
async function askAs(
  { on, agent, service }: Awaited<ReturnType<typeof open>>,
  { query = "", headers = {} }: { query?: string; headers?: Record<string, string> },
): Promise<Response> {
  const json = { agentId: agent.id, messages: [{ role: "user", content: "Hi" }] };
  return await service.fetch(`/v1/chat/stream${query}`, {
    method: "POST",
    key: on.key,
    json,
    headers,
  });
}

Deno.test("POST /v1/chat/stream: the protocol is in the query or in Accept, and an unknown one is 400", async () => {
  await using fixture = await open();
  const accept = "application/json, text/event-stream; protocol=ai-sdk-ui";
  for (const how of [{ query: "?protocol=ai-sdk-ui" }, { headers: { accept } }]) {
    const answer = await askAs(fixture, how);
    assertEquals(answer.headers.get("x-vercel-ai-ui-message-stream"), "v1");
    await using stream = new SseText(answer);
    await stream.until("data: [DONE]\n\n");
    assert(stream.text.includes('"type":"text-delta"'));
  }
  const native = await askAs(fixture, { query: "?protocol=native" });
  assertEquals(native.headers.get("x-vercel-ai-ui-message-stream"), null);
  await native.body?.cancel();
  await expectInvalid(await askAs(fixture, { query: "?protocol=morse" }), ["protocol"]);
  await fixture.service.service.chat.stopAll();
  assertEquals((await fixture.on.records()).map(({ source }) => source.protocol), [
    ...["ai-sdk-ui", "ai-sdk-ui", undefined],
  ]);
});

Deno.test("GET /v1/chat/runs/:runId/stream: a run is replayed in each format, the same to the byte", async () => {
  await using fixture = await open();
  const { on, service } = fixture;
  for (const protocol of ["ai-sdk-ui", "ag-ui"]) {
    const answer = await askAs(fixture, { query: `?protocol=${protocol}` });
    const runId = answer.headers.get("x-run-id");
    const text = await answer.text();
    const path = `/v1/chat/runs/${runId}/stream?protocol=${protocol}`;
    assertEquals(await (await service.fetch(path, { key: on.key })).text(), text);
    const rest = await (await service.fetch(`${path}&after=2`, { key: on.key })).text();
    assert(text.endsWith(rest.replace(": open\n\n", "")) && rest.length < text.length);
    const unknown = await service.fetch(path.replace(protocol, "morse"), { key: on.key });
    await expectInvalid(unknown, ["protocol"]);
  }
});

Deno.test("AI SDK: its transport streams each version's chat from an agent, also the run of another client", async () => {
  await using fixture = await open();
  const { on, agent, service } = fixture;
  const first = await askAs(fixture, {});
  await first.body?.cancel();
  for (const ai of Object.values(AI_SDKS)) {
    const transport = new ai.DefaultChatTransport({
      api: `${service.url}/v1/chat/stream?protocol=ai-sdk-ui`,
      headers: { authorization: `Bearer ${on.key}` },
      prepareSendMessagesRequest: ({ messages }: { messages: UiMessageFields[] }) => ({
        body: {
          agentId: agent.id,
          messages: messages.map(({ role, parts }) => ({ role, content: parts[0].text })),
        },
      }),
      prepareReconnectToStreamRequest: () => ({
        api: `${service.url}/v1/chat/runs/${
          first.headers.get("x-run-id")
        }/stream?protocol=ai-sdk-ui`,
      }),
    });
    const question = { id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] };
    const streams = [
      await transport.sendMessages({
        chatId: "c",
        messages: [question],
        trigger: "submit-message",
      }),
      await transport.reconnectToStream({ chatId: "c" }),
    ];
    for (const stream of streams) {
      const messages = await Array.fromAsync(ai.readUIMessageStream({ stream }));
      const { parts } = messages.at(-1) as UiMessageFields;
      assertEquals(parts.filter(({ type }) => type === "text").map(({ text }) => text), [
        "Hello world.",
      ]);
    }
  }
});
