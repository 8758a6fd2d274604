/** `/v1/mcp` with the official SDK's client, over real HTTP: docs/mcp-server.md. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
// @ts-types="@modelcontextprotocol/sdk/types"
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import type { Agent } from "@/lib/schemas/agent.ts";
import { CuttingProxy } from "./support/cutting_proxy.ts";
import { McpUser } from "./support/mcp_user.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TestService } from "./support/service.ts";

const STALLED = { say: [{ text: "Half" }, { wait: new Promise(() => {}) }], end: "none" } as const;

/** A service on mock providers with an agent named `Shop helper`, and a connected client. */
async function start(mock: MockProviders, change: Record<string, unknown> = {}) {
  const on = await ProviderService.start(mock);
  const agent: Agent = await on.agent("vendor_a", { name: "Shop helper", ...change });
  const user = await McpUser.connect(on.service.url, on.key);
  return {
    ...{ on, agent, user },
    async [Symbol.asyncDispose]() {
      await user.close();
      await on[Symbol.asyncDispose]();
    },
  };
}

Deno.test("/v1/mcp tools/list: an ask tool for each agent, with unique names from theirs", async () => {
  await using mock = await MockProviders.start();
  await using at = await start(mock);
  const second = await at.on.agent("vendor_a", { name: "Shop  Hélper!" });
  const reserved = await at.on.agent("vendor_a", { name: "Agent" });
  const tools = await at.user.list();
  assertEquals(tools.map(({ name }) => name), [
    "ask_agent",
    "ask_shop_helper",
    `ask_shop_helper_${second.id.slice(0, 8)}`,
    `ask_agent_${reserved.id.slice(0, 8)}`,
  ]);
  assertStringIncludes(tools[1]!.description!, '"Shop helper"');
  assertEquals(tools[1]!.inputSchema.required, ["message"]);
});

Deno.test("/v1/mcp tools/list: pages of 50, and tools for the 100 newest agents only", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (let n = 0; n < 101; n++) await service.agent(key, { name: `Helper ${n}` });
  const user = await McpUser.connect(service.url, key);
  const first = await user.client.listTools();
  assertEquals(first.tools.length, 50);
  const names = (await user.list()).map(({ name }) => name);
  assertEquals(names.length, 101);
  assertEquals([names[1], names.at(-1)], ["ask_helper_1", "ask_helper_100"]);
  const error = await assertRejects(() => user.client.listTools({ cursor: "x" }), McpError);
  assertEquals(error.code, -32602);
  const oldest = await user.ask("ask_agent", { agent: "helper 0", message: "Hi" });
  assertEquals(oldest.isError, undefined);
  await user.close();
});

Deno.test("/v1/mcp: ask returns text and facts of a run that is recorded like any other", async () => {
  await using mock = await MockProviders.start();
  await using at = await start(mock);
  mock.next({ say: [{ text: "Hello " }, { text: "there." }] });
  const { content, structuredContent } = await at.user.ask("ask_shop_helper", { message: "Hi" });
  assertEquals(content, [{ type: "text", text: "Hello there." }]);
  const [record] = await at.on.records();
  assertEquals(structuredContent, {
    text: "Hello there.",
    conversationId: record!.conversationId,
    runId: record!.runId,
    finishReason: "stop",
    costUsd: record!.cost / 1e6,
  });
  assert(record!.cost > 0);
  assertEquals([record!.agentId, record!.source.kind], [at.agent.id, "key"]);
});

Deno.test("/v1/mcp: progress has the answer's pieces, rising, for a client that asks for it", async () => {
  await using mock = await MockProviders.start();
  await using at = await start(mock);
  const second = Promise.withResolvers<void>();
  mock.next({ say: [{ text: "One " }, { wait: second.promise }, { text: "two." }] });
  const seen: { progress: number; message?: string | undefined }[] = [];
  const result = await at.user.ask("ask_shop_helper", { message: "Hi" }, {
    onprogress: (notice) => {
      seen.push(notice);
      second.resolve();
    },
  });
  assertEquals(seen.map(({ message }) => message).join(""), "One two.");
  assertEquals(seen.map(({ progress }) => progress), seen.map((_, n) => n + 1));
  assertEquals(result.structuredContent!.text, "One two.");
});

Deno.test("/v1/mcp: a tool's call is progress, and a fallback answers when the first model fails", async () => {
  await using mock = await MockProviders.start();
  await using at = await start(mock, { fallback: { provider: "vendor_b", model: "mid" } });
  mock.next(
    { say: [{ calls: [{ id: "1", name: "x", args: ["{}"] }] }] },
    { say: [{ text: "Done." }] },
  );
  const seen: (string | undefined)[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => void seen.push(message);
  const used = await at.user.ask("ask_shop_helper", { message: "Hi" }, { onprogress });
  assertEquals([seen, used.structuredContent!.text], [["calls x", "Done."], "Done."]);
  mock.next({ status: 401, body: "{}" }, { say: [{ text: "From the fallback." }] });
  const spare = await at.user.ask("ask_shop_helper", { message: "Hi" });
  assertEquals(spare.structuredContent!.text, "From the fallback.");
});

Deno.test("/v1/mcp: a failed run is a tool error in the service's words", async () => {
  await using mock = await MockProviders.start();
  await using at = await start(mock);
  mock.next({ status: 401, body: '{"error":{"message":"sk-secret is wrong"}}' });
  const early = await at.user.ask("ask_shop_helper", { message: "Hi" });
  assertEquals(early.isError, true);
  const [first] = early.content as { text: string }[];
  assertMatch(first!.text, /\(provider_error\)$/);
  assert(!first!.text.includes("sk-secret"));
  mock.next({ say: [{ text: "Half" }, { error: "invalid" }], end: "none" });
  const late = await at.user.ask("ask_shop_helper", { message: "Hi" });
  assertEquals([late.isError, late.structuredContent!.finishReason], [true, "error"]);
  assertEquals((late.content as { text: string }[])[0]!.text, "Half");
});

Deno.test("/v1/mcp: an answer that the budget ends says so", async () => {
  await using mock = await MockProviders.start();
  const budget = { maxCostUsd: 1, maxSteps: 1, wallClockMs: 30_000 };
  await using at = await start(mock, { budget });
  mock.next({ say: [{ text: "First" }, { calls: [{ id: "1", name: "x", args: ["{}"] }] }] });
  const { content, structuredContent } = await at.user.ask("ask_shop_helper", { message: "Hi" });
  assertEquals(structuredContent!.finishReason, "max_steps");
  const texts = (content as { text: string }[]).map(({ text }) => text);
  assertEquals(texts[0], "First");
  assertStringIncludes(texts[1]!, "used all its steps");
});

Deno.test("/v1/mcp: notifications/cancelled cancels the run of that request and no other", async () => {
  await using mock = await MockProviders.start({ otherwise: () => STALLED });
  await using at = await start(mock);
  const port = Number(new URL(at.on.service.url).port);
  await using network = new CuttingProxy(() => ({ port, bytes: Infinity }));
  const other = await McpUser.connect(network.url, at.on.key);
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const abort = new AbortController();
  const ask = (user: McpUser, n: number, signal?: AbortSignal) =>
    user.ask("ask_shop_helper", { message: "Hi" }, {
      onprogress: () => begun[n]!.resolve(),
      ...(signal && { signal }),
    });
  // Both clients number their requests alike.
  const cancelled = assertRejects(() => ask(at.user, 0, abort.signal));
  await begun[0]!.promise;
  const kept = assertRejects(() => ask(other, 1));
  await begun[1]!.promise;
  const [first, second] = at.on.service.service.chat.active;
  abort.abort();
  await cancelled;
  await mock.requests[0]!.gone;
  while (!first!.log.closed) await first!.log.nextAppend();
  assertEquals(second!.log.closed, false);
  // A client that is gone cancels its run too. Deno's fetch does not close each connection that it aborts.
  network.cut();
  await mock.requests[1]!.gone;
  await other.close();
  await kept;
  await at.on.service.service.chat.stopAll();
  const records = await at.on.records();
  assertEquals(records.map(({ finishReason }) => finishReason), ["cancelled", "cancelled"]);
});

Deno.test("/v1/mcp: calls run in parallel on one client", async () => {
  await using mock = await MockProviders.start({
    otherwise: ({ body }) => ({ say: [{ text: body.messages.at(-1).content }] }),
  });
  await using at = await start(mock);
  const words = ["a", "b", "c", "d"];
  const results = await Promise.all(
    words.map((message) => at.user.ask("ask_shop_helper", { message })),
  );
  assertEquals(results.map(({ structuredContent }) => structuredContent!.text), words);
});

Deno.test("/v1/mcp: a conversation continues by its id, with the agent that it began with", async () => {
  await using mock = await MockProviders.start();
  await using at = await start(mock);
  mock.next({ say: [{ text: "Hello Ann." }] }, { say: [{ text: "Ann." }] });
  const first = await at.user.ask("ask_shop_helper", { message: "I am Ann" });
  const conversationId = first.structuredContent!.conversationId;
  const second = await at.user.ask("ask_shop_helper", { message: "My name?", conversationId });
  assertEquals(second.structuredContent!.conversationId, conversationId);
  const { messages } = mock.requests[1]!.body;
  assertEquals(messages.slice(-3).map(({ content }: { content: string }) => content), [
    "I am Ann",
    "Hello Ann.",
    "My name?",
  ]);
  const other = await at.on.agent("vendor_a", { name: "Other" });
  for (const [agent, id] of [[other.id, conversationId], [at.agent.id, crypto.randomUUID()]]) {
    const unknown = await at.user.ask("ask_agent", { agent, message: "Hi", conversationId: id });
    assertEquals(unknown.isError, true);
  }
  assertEquals(mock.requests.length, 2);
});

Deno.test("/v1/mcp: a client that takes JSON only gets it, and its run is cancelled when it is gone", async () => {
  await using mock = await MockProviders.start();
  await using at = await start(mock);
  mock.next({ say: [{ text: "Hello." }] }, STALLED);
  const params = { name: "ask_shop_helper", arguments: { message: "Hi" } };
  const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const call = (signal?: AbortSignal) =>
    at.on.service.fetch("/v1/mcp", {
      ...{ method: "POST", key: at.on.key, json },
      headers: { accept: "application/json" },
      ...(signal && { signal }),
    });
  const response = await call();
  assertEquals(response.headers.get("content-type"), "application/json");
  const { id, result } = await response.json();
  assertEquals([id, result.structuredContent.text], [1, "Hello."]);
  const abort = new AbortController();
  const body = call(abort.signal).then((response) => response.text());
  const rejected = assertRejects(() => body);
  await mock.asked(2);
  abort.abort();
  await rejected;
  await mock.requests[1]!.gone;
});
