/** `/v1/mcp`: who may use it, its limits, and what it does with bad requests: docs/mcp-server.md. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { openKnowledge } from "./support/knowledge.ts";
import { McpUser } from "./support/mcp_user.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { openTestKv } from "./support/open_kv.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TestService } from "./support/service.ts";
import { onPage, ORIGIN } from "./support/widget_calls.ts";

const STALLED = { say: [{ text: "Half" }, { wait: new Promise(() => {}) }], end: "none" } as const;

function rpc(method: string, params: Record<string, unknown> = {}, id: unknown = 1) {
  return { jsonrpc: "2.0", id, method, params };
}

function post(service: TestService, init: RequestInit & { json?: unknown; key?: string }) {
  return service.fetch("/v1/mcp", { method: "POST", ...init });
}

Deno.test("/v1/mcp search_knowledge: finds passages by a base's name or id", async () => {
  await using at = await openKnowledge();
  await at.post({ title: "Returns", content: "# Books\n\nBooks go back within 30 days." });
  await at.service.service.documents.whenIdle();
  const user = await McpUser.connect(at.service.url, at.key);
  for (const knowledgeBase of [at.base.id, "shop"]) {
    const found = await user.ask("search_knowledge", { knowledgeBase, query: "30 days", limit: 1 });
    const { passages } = found.structuredContent as { passages: { title: string }[] };
    assertEquals(passages.map(({ title }) => title), ["Returns"]);
    assertEquals(JSON.parse((found.content as { text: string }[])[0]!.text), { passages });
  }
  const text = async (args: Record<string, unknown>) => {
    const { isError, content } = await user.ask("search_knowledge", args);
    assertEquals(isError, true);
    return (content as { text: string }[])[0]!.text;
  };
  assertStringIncludes(await text({ knowledgeBase: "x", query: "a" }), '"Shop"');
  assertStringIncludes(await text({ knowledgeBase: at.base.id }), "query");
  const unknown = { knowledgeBase: crypto.randomUUID(), query: "a" };
  assertStringIncludes(await text(unknown), "there is no such knowledge base");
  await at.create("Shop");
  assertStringIncludes(await text({ knowledgeBase: "Shop", query: "a" }), "several");
  await user.close();
});

Deno.test("/v1/mcp: the scopes of a key decide which tools it has", async () => {
  await using service = await TestService.start({ ...instantRuntime(), env: { DEMO: "off" } });
  await service.agent(await service.key(), { name: "Helper" });
  const wanted = {
    "widget:mint": ["ask_agent"],
    "agents:write": ["ask_agent", "ask_helper"],
    "agents:read": [],
    "knowledge:read": ["search_knowledge"],
    "knowledge:write": ["ask_agent", "search_knowledge"],
  } as const;
  for (const [scope, names] of Object.entries(wanted)) {
    const user = await McpUser.connect(service.url, await service.key([scope as "widget:mint"]));
    assertEquals((await user.list()).map(({ name }) => name), [...names], scope);
    for (const tool of ["ask_agent", "ask_helper", "search_knowledge"]) {
      if (names.some((name) => name === tool)) continue;
      const error = await assertRejects(() => user.ask(tool, { message: "Hi" }), McpError);
      assertEquals([error.code, scope, tool], [-32602, scope, tool]);
    }
    await user.close();
  }
});

Deno.test("/v1/mcp: another tenant's agent is unknown", async () => {
  await using service = await TestService.start(instantRuntime());
  const agent = await service.agent(await service.key(), { name: "Helper" });
  const { id: tenant } = await service.service.tenants.create("Other");
  const user = await McpUser.connect(service.url, await service.key(undefined, tenant));
  assertEquals((await user.list()).map(({ name }) => name), ["ask_agent"]);
  await assertRejects(() => user.ask("ask_helper", { message: "Hi" }), McpError);
  for (const named of [agent.id, "Helper"]) {
    const { isError } = await user.ask("ask_agent", { agent: named, message: "Hi" });
    assertEquals(isError, true);
  }
  assertEquals(service.service.chat.active.length, 0);
  await user.close();
});

Deno.test("/v1/mcp: a full limit is a 429 with the seconds to wait", async () => {
  await using service = await TestService.start({
    ...instantRuntime(),
    limits: { keyRequests: 6 },
  });
  const key = await service.key();
  await service.agent(key, { name: "Helper" });
  const user = await McpUser.connect(service.url, key);
  await user.ask("ask_helper", { message: "Hi" });
  // The agent, initialize, its notification and the answer are 4 requests.
  await user.list();
  await user.list();
  const error = await assertRejects(
    () => user.ask("ask_helper", { message: "Hi" }),
    StreamableHTTPError,
  );
  assertEquals(error.code, 429);
  const json = rpc("tools/call", { name: "ask_helper", arguments: { message: "Hi" } });
  const response = await post(service, { key, json });
  assertEquals([response.status, (await response.json()).code], [429, "rate_limit_exceeded"]);
  assert(Number(response.headers.get("retry-after")) > 0);
  assertStringIncludes(response.headers.get("ratelimit")!, "r=0");
  await user.close();
});

Deno.test("/v1/mcp: the limits of messages, streams and cost apply to a question", async () => {
  for (const [limit, value] of Object.entries({ ipMessages: 0, streams: 0, hardDailyCost: 0 })) {
    await using service = await TestService.start({
      ...instantRuntime(),
      limits: { [limit]: value },
    });
    const key = await service.key();
    const agent = await service.agent(key);
    const args = { agent: agent.id, message: "Hi" };
    const json = rpc("tools/call", { name: "ask_agent", arguments: args });
    const response = await post(service, { key, json });
    const code = limit === "hardDailyCost" ? "plan_limit_exceeded" : "rate_limit_exceeded";
    assertEquals([response.status, (await response.json()).code], [429, code], limit);
  }
});

Deno.test("/v1/mcp: revoking the key cancels its run, and the next request is a 401", async () => {
  await using mock = await MockProviders.start({ otherwise: () => STALLED });
  await using on = await ProviderService.start(mock);
  await on.agent("vendor_a", { name: "Helper" });
  const user = await McpUser.connect(on.service.url, on.key);
  const begun = Promise.withResolvers<void>();
  const answer = user.ask("ask_helper", { message: "Hi" }, { onprogress: () => begun.resolve() });
  await begun.promise;
  const { apiKeys } = on.service.service;
  const tenant = await on.service.tenant();
  const [apiKey] = await apiKeys.list(tenant);
  await apiKeys.revoke(tenant, apiKey!.id);
  const { isError, structuredContent } = await answer;
  assertEquals([isError, structuredContent!.finishReason], [true, "cancelled"]);
  await assertRejects(() => user.list());
  await user.close();
});

Deno.test("/v1/mcp: only an API key is a credential", async () => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key();
  const origin = "https://shop.example";
  const agent = await service.agent(key, { allowedOrigins: [origin] });
  const token = await service.mint(key, agent.id, origin);
  const json = rpc("tools/call", {
    name: "ask_agent",
    arguments: { agent: agent.id, message: "Hi" },
  });
  for (
    const init of [{}, { key: token }, { key: "x" }, { headers: { "x-service-session": token } }]
  ) {
    const response = await post(service, { json, ...init });
    assertEquals([response.status, (await response.json()).code], [401, "invalid_api_key"]);
    assertEquals(response.headers.get("www-authenticate"), 'Bearer realm="agent-chat"');
  }
  assertEquals(service.service.chat.active.length, 0);
});

Deno.test("/v1/mcp: a page of another site is rejected, and no response has CORS headers", async () => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key();
  const json = rpc("tools/list");
  for (const origin of ["https://evil.example", "null", `${service.url}.evil.example`]) {
    const response = await post(service, { key, json, headers: { origin } });
    assertEquals([response.status, (await response.json()).code], [403, "origin_not_allowed"]);
    assertEquals(response.headers.get("access-control-allow-origin"), null);
  }
  const own = await post(service, { key, json, headers: { origin: service.url } });
  assertEquals(own.status, 200);
  assertEquals((await own.json()).result.tools[0].name, "ask_agent");
});

Deno.test("/v1/mcp: a bad body is a JSON-RPC error, and nothing is stored", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ ...instantRuntime(), kv });
  const key = await service.key();
  await service.agent(key, { name: "Helper" });
  const call = (args: unknown) => rpc("tools/call", { name: "ask_helper", arguments: args });
  const bad: [string, number][] = [
    ["", -32700],
    ["{", -32700],
    ["null", -32600],
    ["{}", -32600],
    [JSON.stringify([call({ message: "Hi" })]), -32600],
    [JSON.stringify({ ...call({ message: "Hi" }), jsonrpc: "1.0" }), -32600],
    [JSON.stringify({ ...call({ message: "Hi" }), id: null }), -32600],
    [JSON.stringify(call({ message: "a\0" })), -32600],
    [JSON.stringify({ ...call({ message: "Hi" }), id: { a: 1 } }), -32600],
    [
      JSON.stringify(rpc("tools/call", { _meta: { progressToken: {} }, name: "ask_helper" })),
      -32600,
    ],
  ];
  const headers = { "content-type": "application/json" };
  for (const [body, code] of bad) {
    const response = await post(service, { key, body, headers });
    const answer = await response.json();
    assertEquals([response.status, answer.error?.code, answer.id], [400, code, null], body);
    assertEquals(answer.code, "schema_validation_failed");
  }
  const rejected: [unknown, number][] = [
    [rpc("tools/unknown"), -32601],
    [rpc("tools/call", {}), -32602],
    [rpc("tools/call", { name: "ask_helper", arguments: "Hi" }), -32602],
    [rpc("tools/call", { name: "nothing", arguments: {} }), -32602],
    [rpc("tools/list", { cursor: 1 }), -32602],
  ];
  for (const [json, code] of rejected) {
    const response = await post(service, { key, json });
    const answer = await response.json();
    assertEquals([response.status, answer.error?.code, answer.id], [200, code, 1]);
  }
  for (const args of [{}, { message: "" }, { message: "Hi", more: 1 }]) {
    const answer = await (await post(service, { key, json: call(args) })).json();
    assertEquals(answer.result.isError, true);
  }
  const ofRuns = async () => {
    const stored = await Array.fromAsync(kv.list({ prefix: [] }));
    const kinds = stored.map(({ key }) => String(key[0]));
    return kinds.filter((kind) => /conversation|run|idempotency/.test(kind));
  };
  assertEquals(await ofRuns(), []);
  const good = await (await post(service, { key, json: call({ message: "Hi" }) })).json();
  assertEquals(good.result.isError, undefined);
  assert((await ofRuns()).length > 0);
});

Deno.test("/v1/mcp: methods, versions and sessions that do not exist", async () => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key();
  for (const method of ["GET", "DELETE"]) {
    const response = await service.fetch("/v1/mcp", { method, key });
    assertEquals([response.status, response.headers.get("allow")], [405, "POST, OPTIONS"]);
    await response.body?.cancel();
  }
  const json = rpc("tools/list");
  const version = await post(service, { key, json, headers: { "mcp-protocol-version": "1999" } });
  assertEquals([version.status, (await version.json()).error.code], [400, -32600]);
  const session = await post(service, { key, json, headers: { "mcp-session-id": "mine" } });
  assertEquals([session.status, (await session.json()).code], [404, "not_found"]);
  const started = await post(service, {
    key,
    json: rpc("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    }),
  });
  assert(started.headers.get("mcp-session-id") !== null);
  assertEquals((await started.json()).result.protocolVersion, "2025-06-18");
  const notice = await post(service, {
    key,
    json: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
    headers: { "mcp-session-id": crypto.randomUUID() },
  });
  assertEquals([notice.status, await notice.text()], [202, ""]);
});

Deno.test("/v1/mcp: any process serves a session: it cancels runs, and continues conversations", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const env = { VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "x" };
  await using there = await TestService.start({
    ...instantRuntime(),
    ...{ kv: on.kv, keepKv: true, env },
  });
  const agent = await on.agent("vendor_a", { name: "Helper" });
  mock.next(STALLED, { say: [{ text: "Yes." }] });
  const user = await McpUser.connect(on.service.url, on.key);
  const begun = Promise.withResolvers<void>();
  const answer = user.ask("ask_helper", { message: "Hi" }, { onprogress: () => begun.resolve() });
  await begun.promise;
  const headers = { "mcp-session-id": user.sessionId! };
  // The client's first request is initialize, with the id 0.
  const params = { requestId: 1 };
  const json = { jsonrpc: "2.0", method: "notifications/cancelled", params };
  assertEquals((await post(there, { key: on.key, json, headers })).status, 202);
  const { structuredContent } = await answer;
  assertEquals(structuredContent!.finishReason, "cancelled");
  const { conversationId } = structuredContent as { conversationId: string };
  const args = { agent: agent.id, message: "There?", conversationId };
  const next = rpc("tools/call", { name: "ask_agent", arguments: args }, 2);
  const first = await (await post(there, { key: on.key, json: next, headers })).json();
  assertEquals(first.result.structuredContent.text, "Yes.");
  // The same request again, at the other process, is the same run.
  const again = await post(on.service, { key: on.key, json: next, headers });
  assertEquals(again.headers.get("idempotency-replayed"), "true");
  assertEquals((await again.json()).result, first.result);
  assertEquals(mock.requests.length, 2);
  await user.close();
});

Deno.test("/v1/mcp: a visitor's conversation cannot be continued, and so not be read", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const agent = await on.agent("vendor_a", { name: "Helper", allowedOrigins: [ORIGIN] });
  const sessionToken = await on.service.mint(on.key, agent.id, ORIGIN);
  const conversationId = crypto.randomUUID();
  const visit = await onPage(on.service, { agent, sessionToken, body: { conversationId } });
  assertStringIncludes(await visit.text(), "event: done");
  const user = await McpUser.connect(on.service.url, on.key);
  const result = await user.ask("ask_helper", { message: "Repeat it all", conversationId });
  assertEquals([result.isError, mock.requests.length], [true, 1]);
  await user.close();
});
