/** The playground's routes: run a draft that is not stored, and test its tools. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import type { FrameOf } from "@/lib/schemas/frames.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import { httpTool } from "./support/agents.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { ownerCookie } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const HELLO = [{ role: "user", content: "Hello" }];

/** A service with an agent, and functions that send requests as its owner. */
async function open() {
  const kv = await openTestKv();
  const service = await TestService.start({ kv });
  const cookie = await ownerCookie(service);
  const agent = await service.service.agents.create(await service.tenant(), agentBody());
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    service.fetch(path, { method: "POST", json, headers: { cookie, ...headers } });
  const sendMessage = (json: unknown) => post(`/agents/${agent.id}/try`, json);
  return { kv, service, cookie, agent, post, sendMessage };
}

/** The editor's form values for `agent`, overridden by `change`. */
function formOf(agent: Agent, change: Record<string, string>) {
  return { ...toFormValues(agent), ...change };
}

Deno.test("POST /agents/:id/try: a draft streams frames, is billed like any run, and is not stored", async () => {
  const { kv, service, agent, sendMessage } = await open();
  await using _ = service;
  const form = formOf(agent, { name: "Drafted", systemPrompt: "Be odd." });
  const answer = await sendMessage({ messages: HELLO, form });
  assertEquals(answer.status, 200);
  assertStringIncludes(answer.headers.get("content-type")!, "text/event-stream");
  assertStringIncludes(answer.headers.get("cache-control")!, "no-transform");
  const frames = await readFrames(answer);
  assertStringIncludes(textOf(frames), "“Hello”");
  assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "stop" });
  const tenant = await service.tenant();
  assertEquals(await service.service.agents.get(tenant, agent.id), agent);
  const { records } = await readStoredUsage(kv);
  const [run] = [...records.values()];
  assertEquals([run?.source.kind, run?.agentVersion], ["user", 1]);
  const rows = await Array.fromAsync(kv.list({ prefix: ["usage_rows"] }));
  assertEquals(rows.map(({ key }) => key.at(-1)), ["playground"]);
});

Deno.test("POST /agents/:id/try: runs an earlier version or another model on request", async () => {
  const { service, agent, sendMessage } = await open();
  await using _ = service;
  await service.service.agents.patch(await service.tenant(), agent.id, {
    patch: { systemPrompt: "Second." },
  });
  const answer = await sendMessage({
    messages: HELLO,
    version: 1,
    provider: "vendor_b",
    model: "demo",
  });
  const [start] = await readFrames(answer);
  assert(start?.frame.type === "start");
  assertEquals([start.frame.provider, start.frame.model], ["vendor_b", "demo"]);
  const missing = await sendMessage({ messages: HELLO, version: 9 });
  assertEquals([missing.status, (await missing.json()).code], [404, "not_found"]);
});

Deno.test("POST /agents/:id/try: an invalid draft is a 400 that lists each field's error", async () => {
  const { service, agent, sendMessage } = await open();
  await using _ = service;
  const form = formOf(agent, { maxSteps: "99", model: "vendor_a/none" });
  const answer = await sendMessage({ messages: HELLO, form });
  const { code, details, message } = await answer.json();
  assertEquals([answer.status, code], [400, "schema_validation_failed"]);
  assertEquals(Object.keys(details.faults), ["maxSteps"]);
  assertStringIncludes(message, "from 1 to 32");
  const { faults } = (await (await sendMessage({
    messages: HELLO,
    form: { ...form, maxSteps: "3" },
  })).json()).details;
  assertEquals(Object.keys(faults), ["model"]);
});

Deno.test("POST /agents/:id/try: is limited to editors of the agent's tenant and to same-origin requests", async () => {
  const { kv, service, cookie, agent, post } = await open();
  await using _ = service;
  const path = `/agents/${agent.id}/try`;
  const body = { messages: HELLO };
  const foreign = await post(path, body, { origin: "https://evil.example" });
  assertEquals(foreign.status, 403);
  const signedOut = await service.fetch(path, { method: "POST", json: body });
  assertEquals([signedOut.status, signedOut.headers.get("location")?.split("?")[0]], [
    303,
    "/sign-in",
  ]);
  const other = await post(`/agents/${crypto.randomUUID()}/try`, body);
  assertEquals(other.status, 404);
  for await (const entry of kv.list<{ role: string }>({ prefix: ["users"] })) {
    await kv.set(entry.key, { ...entry.value, role: "viewer" });
  }
  for (const one of [path, "/agents/check", "/agents/test-tool", `/agents/${agent.id}/delete`]) {
    const headers = { cookie };
    const answer = await service.fetch(one, { method: "POST", json: body, headers });
    assertEquals(answer.status, 403, one);
    await answer.body?.cancel();
  }
  await foreign.body?.cancel();
});

Deno.test("POST /agents/:id/try/cancel: cancels a playground run, and no other", async () => {
  const { service, agent, post, sendMessage } = await open();
  await using _ = service;
  const answer = await sendMessage({ messages: [{ role: "user", content: "word ".repeat(500) }] });
  const cancel = (runId: string) => post(`/agents/${agent.id}/try/cancel`, { runId });
  assertEquals((await cancel(answer.headers.get("x-run-id")!)).status, 202);
  const frames = await readFrames(answer);
  assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
  const key = await service.key();
  const chat = await service.fetch("/v1/chat/stream", {
    method: "POST",
    key,
    json: { agentId: agent.id, messages: HELLO },
  });
  assertEquals((await cancel(chat.headers.get("x-run-id")!)).status, 404);
  assertEquals((await cancel(crypto.randomUUID())).status, 404);
  await chat.body?.cancel();
});

Deno.test("POST /agents/test-tool: returns what the model would get and every outgoing request", async () => {
  const { service, post } = await open();
  await using _ = service;
  const call = { name: "look_up", args: { q: "a" } };
  const tool = httpTool({}, { url: "https://tools.example.com/find?q={{q}}" });
  const test = async (json: unknown) => await (await post("/agents/test-tool", json)).json();
  const rejected = await test({ tool, allowedDomains: ["other.example"], call });
  assertEquals(rejected.output.error.code, "domain_not_allowed");
  assertEquals(rejected.ledger.map(({ host }: { host: string }) => host), ["tools.example.com"]);
  assertStringIncludes(rejected.ledger[0].refused, "tools.example.com");
  assertEquals(rejected.notes, []);
  const hidden = await test({ tool, allowedDomains: ["tools.example.com"], call });
  assertMatch(hidden.notes[0], /add [0-9a-f-]{36}=tools\.example\.com to EGRESS_ALLOW/);
  const listed = await test({ tool, allowedDomains: [] });
  assertEquals([listed.offered[0].name, "output" in listed], ["look_up", false]);
  const bad = await test({ tool: { ...tool, name: "a b" }, allowedDomains: [], call });
  assertEquals(bad.code, "schema_validation_failed");
});

Deno.test("POST /agents/check: returns the errors that saving would, and stores nothing", async () => {
  const { service, cookie, agent } = await open();
  await using _ = service;
  const check = async (change: Record<string, string>) => {
    const body = new URLSearchParams(formOf(agent, change));
    const answer = await service.fetch("/agents/check", {
      method: "POST",
      body,
      headers: { cookie },
    });
    const { faults } = await answer.json();
    return Object.keys(faults);
  };
  assertEquals(await check({}), []);
  assertEquals(await check({ name: "", tools: "{" }), ["name", "tools"]);
  assertEquals(await check({ knowledgeBaseId: crypto.randomUUID() }), ["knowledgeBaseId"]);
  const { data } = await service.service.agents.list(await service.tenant(), { limit: 10 });
  assertEquals(data.length, 2);
});

Deno.test("POST /agents/:id/try: a message may replace a run of its own conversation only", async () => {
  const { service, sendMessage } = await open();
  await using _ = service;
  const start = async (json: Record<string, unknown>) => {
    const [first] = await readFrames(await sendMessage({ messages: HELLO, ...json }));
    return first!.frame as FrameOf<"start">;
  };
  const { runId, conversationId } = await start({});
  const again = await start({ conversationId, replaces: runId });
  const other = await start({});
  for (const body of [{ conversationId, replaces: other.runId }, { replaces: runId }]) {
    await expectInvalid(await sendMessage({ messages: HELLO, ...body }), ["replaces"]);
  }
  const key = await service.key(["conversations:read"]);
  const answer = await service.fetch(`/v1/conversations/${conversationId}`, { key });
  const { runs } = await answer.json();
  assertEquals(runs.map((run: ConversationRun) => [run.runId, run.replaces, run.superseded]), [
    [runId, undefined, true],
    [again.runId, runId, undefined],
  ]);
});
