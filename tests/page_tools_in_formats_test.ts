/** Calls that wait, in formats whose clients answer with their next request: the AI SDK and AG-UI. */
// deno-lint-ignore-file no-explicit-any -- the clients' versions have no common types
import { HttpAgent } from "@ag-ui/client";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AI_SDKS } from "./support/formats/clients.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import {
  CALL,
  openWaitingCalls,
  pageTool,
  refundAt,
  until,
  type WaitingCalls,
} from "./support/waiting_calls.ts";

const TOOLS = (host: string) => [pageTool(), refundAt(host, { approval: "visitor" })];
const DOCUMENT = new URL("../docs/use-chat.md", import.meta.url);

/** The transport of the document, on a version of the package. */
async function documentedTransport(version: string, fixture: WaitingCalls, stream: string) {
  const text = await Deno.readTextFile(DOCUMENT);
  const [, code] = /<!-- file: agent_transport.ts -->\n\n```ts\n(.*?)```/s.exec(text)!;
  // No import map applies to code from a document.
  Object.assign(globalThis, { documented: AI_SDKS[version] });
  const onVersion = code!
    .replace(
      /^import .*$/m,
      "const { DefaultChatTransport } = globalThis.documented; type UIMessage = any;",
    )
    .replace("DefaultChatTransport<UIMessage>", "DefaultChatTransport")
    .replace("stream?protocol=ai-sdk-ui", stream) + `// ${version}`;
  const module = await import(`data:application/typescript,${encodeURIComponent(onVersion)}`);
  const { service, agent, sessionToken } = fixture;
  const mint = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ sessionToken }),
  );
  const { port } = mint.addr as Deno.NetAddr;
  sessionStorage.clear();
  const { transport } = module.agentTransport({
    ...{ service: service.url, agentId: agent.id },
    sessionEndpoint: `http://127.0.0.1:${port}/`,
  });
  return { transport, [Symbol.asyncDispose]: () => mint.shutdown() };
}

/** The chat of the AI SDK as its hooks use it, without React. */
function createChat(
  ai: any,
  { transport, ...options }: { transport: unknown; [field: string]: any },
) {
  const state = {
    ...{ status: "ready", error: undefined, messages: [] as any[] },
    pushMessage: (message: any) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (n: number, message: any) =>
      void (state.messages = state.messages.with(n, structuredClone(message))),
    snapshot: (value: any) => structuredClone(value),
  };
  const Chat: any = class extends ai.AbstractChat {};
  return new Chat({ state, transport, ...options });
}

async function untilReady(chat: any, isDone: (message: any) => boolean): Promise<any> {
  return await until(() => {
    if (chat.error) throw chat.error;
    const message = chat.messages.at(-1);
    const isReady = chat.status === "ready" && message?.role === "assistant";
    return isReady && isDone(message) ? message : undefined;
  });
}

const hasText = ({ parts }: any) => parts.some(({ type }: any) => type === "text");

for (const [version, ai] of Object.entries(AI_SDKS)) {
  Deno.test(`AI SDK ${version}: useChat executes a page's tool, and the same run goes on`, async () => {
    await using fixture = await openWaitingCalls(TOOLS);
    await using on = await documentedTransport(version, fixture, "stream?protocol=ai-sdk-ui");
    const called: unknown[] = [];
    const chat: any = createChat(ai, {
      transport: on.transport,
      sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall({ toolCall }: any) {
        called.push([toolCall.toolName, toolCall.input]);
        const { toolName: tool, toolCallId } = toolCall;
        const add = chat.addToolOutput ?? chat.addToolResult;
        void add.call(chat, { tool, toolCallId, output: { items: 7 } });
      },
    });
    await chat.sendMessage({ text: `use cart with ${JSON.stringify(CALL)}` });
    const message = await untilReady(chat, hasText);
    assertEquals(called, [["cart", CALL]]);
    assertEquals(chat.messages.length, 2);
    const tool = message.parts.find(({ type }: any) => type === "tool-cart");
    assertEquals([tool.state, tool.output], ["output-available", { items: 7 }]);
    assert(JSON.stringify(message.parts.at(-1)).includes("items"));
    const { records } = await readStoredUsage(fixture.kv);
    assertEquals(
      [...records.values()].map(({ finishReason, toolCalls }) => [finishReason, toolCalls]),
      [
        ["stop", 1],
      ],
    );
  });
}

for (const version of ["6", "7"]) {
  Deno.test(`AI SDK ${version}: the visitor's approval is a part of the message`, async () => {
    const ai = AI_SDKS[version]!;
    await using fixture = await openWaitingCalls(TOOLS);
    const stream = "stream?protocol=ai-sdk-ui&approvals=1";
    await using on = await documentedTransport(version, fixture, stream);
    const sendAutomaticallyWhen = ai.lastAssistantMessageIsCompleteWithApprovalResponses;
    const chat: any = createChat(ai, { transport: on.transport, sendAutomaticallyWhen });
    await chat.sendMessage({ text: `use refund with ${JSON.stringify(CALL)}` });
    const isAsked = ({ parts }: any) =>
      parts.some(({ state }: any) => state === "approval-requested");
    const asked = await untilReady(chat, isAsked);
    const { approval } = asked.parts.find(({ state }: any) => state === "approval-requested");
    assertEquals(fixture.server.requests, []);
    await chat.addToolApprovalResponse({ id: approval.id, approved: true });
    const message = await untilReady(chat, hasText);
    const tool = message.parts.find(({ toolName }: any) => toolName === "refund");
    assertEquals([tool.state, tool.output], ["output-available", {
      status: 200,
      body: { done: true },
    }]);
    assertEquals([chat.messages.length, fixture.server.requests.length], [2, 1]);
  });
}

Deno.test("AI SDK 5: an approval is a data part, because an unknown part ends its chat", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  await using on = await documentedTransport("5", fixture, "stream?protocol=ai-sdk-ui");
  const chat: any = createChat(AI_SDKS["5"], {
    transport: on.transport,
    onData({ data }: any) {
      const [runId, n] = data.toolCallId.split(".");
      void fixture.service.fetch(`/v1/chat/runs/${runId}/calls/${n}/decision`, {
        ...{ method: "POST", json: { approve: false } },
        headers: { "x-service-session": fixture.sessionToken },
      }).then((answer) => answer.body?.cancel());
    },
  });
  await chat.sendMessage({ text: `use refund with ${JSON.stringify(CALL)}` });
  const message = await untilReady(chat, hasText);
  const part = message.parts.find(({ type }: any) => type === "data-tool-approval");
  assertEquals([part.data.waitsFor, part.data.input], ["visitor", CALL]);
  assertEquals(fixture.server.requests, []);
});

function agUi({ service, agent, sessionToken }: WaitingCalls) {
  const url = `${service.url}/v1/ag-ui/${agent.id}`;
  return (content: string) =>
    new HttpAgent({
      ...{ url, threadId: "thread-1", headers: { "x-service-session": sessionToken } },
      initialMessages: [{ id: "1", role: "user", content }],
    });
}

Deno.test("AG-UI: a page's tool ends the run, and its output continues ours", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  const client = agUi(fixture)(`use cart with ${JSON.stringify(CALL)}`);
  const ends: any[] = [];
  const onEvent = ({ event }: any) => void (event.type === "RUN_FINISHED" && ends.push(event));
  await client.runAgent({}, { onEvent });
  const asked: any = client.messages.at(-1);
  const [{ id, function: { name } }] = asked.toolCalls;
  assertEquals([name, ends[0].outcome], ["cart", { type: "success", pendingToolCallIds: [id] }]);
  client.addMessage({ id: "t", role: "tool", toolCallId: id, content: '{"items":7}' });
  await client.runAgent({}, { onEvent });
  const last: any = client.messages.at(-1);
  assert(last.role === "assistant" && last.content.includes("items"));
  assertEquals(client.messages.filter(({ role }) => role === "tool").length, 1);
  const { records } = await readStoredUsage(fixture.kv);
  assertEquals(records.size, 1);
  // The same output once more is no other run.
  client.setMessages([asked, { id: "t", role: "tool", toolCallId: id, content: "1" }]);
  await assertRejects(() => client.runAgent({}), Error, "does not wait any more");
  assertEquals((await readStoredUsage(fixture.kv)).records.size, 1);
});

Deno.test("AG-UI: an approval is an interrupt, which the next run resumes", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  const client = agUi(fixture)(`use refund with ${JSON.stringify(CALL)}`);
  const events: any[] = [];
  const onEvent = ({ event }: any) => void events.push(event);
  await client.runAgent({}, { onEvent });
  const { outcome } = events.at(-1);
  const [{ id, reason, toolCallId }] = outcome.interrupts;
  assertEquals([outcome.type, reason, toolCallId], ["interrupt", "tool_call", id]);
  const resume = [{ interruptId: id, status: "resolved" as const, payload: { approved: true } }];
  await client.runAgent({ resume }, { onEvent });
  const result = events.find(({ type }) => type === "TOOL_CALL_RESULT");
  assertEquals(JSON.parse(result.content), { status: 200, body: { done: true } });
  assertEquals(fixture.server.requests.length, 1);
});

Deno.test("AI SDK: an answer to a run that is gone, or of another page, is a clear error", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  const { service, agent, sessionToken } = fixture;
  const send = (calls: unknown, protocol = "ai-sdk-ui") =>
    service.fetch(`/v1/chat/stream?protocol=${protocol}`, {
      ...{ method: "POST", json: { agentId: agent.id, sessionToken, calls } },
      headers: { "x-service-session": sessionToken },
    });
  const codeOf = async (answer: Response) => (await answer.json()).code;
  const id = `${crypto.randomUUID()}.2`;
  assertEquals(await codeOf(await send([{ id, output: 1 }])), "not_found");
  const other = `${crypto.randomUUID()}.2`;
  for (
    const calls of [[], [{ id: "x", output: 1 }], [{ id, output: 1 }, { id: other, output: 1 }], 7]
  ) {
    assertEquals(await codeOf(await send(calls)), "schema_validation_failed");
  }
  assertEquals(await codeOf(await send([{ id, output: 1 }], "native")), "schema_validation_failed");
});
