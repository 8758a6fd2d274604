/** Prepaid visitors: limits at mint and by key, what is left, and usage. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { openTestKv } from "./support/open_kv.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TestService } from "./support/service.ts";
import { storedText } from "./support/store.ts";
import { chat, embed, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const EMAIL = "ada@customer.example";
const DAY = 86_400_000;

async function mint(
  service: TestService,
  { key, agentId, visitor }: { key: string; agentId: string; visitor: unknown },
): Promise<string> {
  const json = { agentId, visitor };
  const headers = { origin: ORIGIN };
  const answer = await service.fetch("/v1/widget/session", { method: "POST", key, json, headers });
  return (await expectJson(answer, 201)).sessionToken;
}

function ownLimits(service: TestService, sessionToken: string, headers: HeadersInit = {}) {
  const all = new Headers(headers);
  all.set("x-service-session", sessionToken);
  return service.fetch("/v1/chat/limits", { headers: all });
}

/** The path of something about a visitor. */
const at = (id: string, what: string) => `/v1/visitors/${encodeURIComponent(id)}/${what}`;

async function open() {
  const time = instantRuntime();
  const kv = await openTestKv();
  const service = await TestService.start({ ...time, kv });
  const { agent } = await embed(service);
  const key = await service.key(["agents:write", "widget:mint", "billing:read"]);
  const put = (id: string, json: unknown) =>
    service.fetch(at(id, "limits"), { method: "PUT", key, json });
  const get = (id: string, what: string) => service.fetch(at(id, what), { key });
  const mintFor = (visitor: unknown) => mint(service, { key, agentId: agent.id, visitor });
  return { time, kv, service, agent, key, put, get, mintFor };
}

Deno.test("POST /v1/chat/stream: a visitor's last message is the limit's, and the 429 says so", async () => {
  const { time, service, agent, mintFor } = await open();
  await using _ = service;
  const limits = { messages: 2, per: "day" };
  const sessionToken = await mintFor({ id: EMAIL, limits });
  const left = async () => (await expectJson(await ownLimits(service, sessionToken), 200));
  const midnight = new Date(Math.ceil(time.runtime.now() / DAY) * DAY).toISOString();
  assertEquals(await left(), {
    ...{ messages: { limit: 2, left: 2 }, per: "day", resetsAt: midnight },
  });
  await readFrames(await onPage(service, { agent, sessionToken }));
  // The limit is the visitor's, not the session's.
  const other = await mintFor({ id: EMAIL });
  await readFrames(await onPage(service, { agent, sessionToken: other }));
  const rejected = await onPage(service, { agent, sessionToken });
  const retryAfter = Number(rejected.headers.get("retry-after"));
  const error = await expectError(rejected, "rate_limit_exceeded");
  assertEquals(error.message, "this visitor's messages are used up");
  assertEquals(error.details, { scope: "visitor_messages", limit: 2, windowSeconds: 86_400 });
  assertEquals(retryAfter, Math.ceil((Date.parse(midnight) - time.runtime.now()) / 1000));
  assertEquals((await left()).messages, { limit: 2, left: 0 });
  assertEquals(rejected.headers.get("access-control-allow-origin"), "*");
  const bob = await mintFor({ id: "bob" });
  await readFrames(await onPage(service, { agent, sessionToken: bob }));
  time.advance(retryAfter * 1000);
  const tomorrow = await mintFor({ id: EMAIL });
  await readFrames(await onPage(service, { agent, sessionToken: tomorrow }));
});

Deno.test("a visitor's cost: spent to the limit, shown, and rejected beyond it", async () => {
  await using mock = await MockProviders.start();
  await using providers = await ProviderService.start(mock);
  const { service } = providers;
  const key = await service.key(["agents:write", "widget:mint", "billing:read"]);
  const agent = await providers.agent("vendor_a", { allowedOrigins: [ORIGIN] });
  const limits = { costUsd: 0.000_2, per: "total" };
  const visitor = { id: EMAIL, limits };
  const sessionToken = await mint(service, { key, agentId: agent.id, visitor });
  let spent = 0;
  let answer = await onPage(service, { agent, sessionToken });
  for (let n = 0; answer.status === 200; n++) {
    assert(n < 200, "the limit is reached");
    spent += onlyFrame(await readFrames(answer), "usage").costUsd;
    answer = await onPage(service, { agent, sessionToken });
  }
  const retryAfter = Number(answer.headers.get("retry-after"));
  const { message, details } = await expectError(answer, "rate_limit_exceeded");
  assertEquals([message, details?.scope, details?.limit], [
    ...["what this visitor may cost is used up", "visitor_cost", 0.000_2],
  ]);
  assert(retryAfter > 0 && retryAfter <= 900, `${retryAfter}: until the session ends`);
  const round = (usd: number) => Math.round(usd * 1e6);
  assert(round(spent) <= 200, `${spent}`);
  const report = await expectJson(await service.fetch(at(EMAIL, "limits"), { key }), 200);
  assertEquals([round(report.costUsd.left), report.per, report.resetsAt], [
    ...[200 - round(spent), "total", undefined],
  ]);
  const usage = await expectJson(await service.fetch(at(EMAIL, "usage"), { key }), 200);
  const runs = await providers.records();
  assertEquals([round(usage.costUsd), usage.messages], [round(spent), runs.length]);
  const tokens = runs.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  assertEquals([usage.total.outputTokens, usage.per], [tokens, "total"]);
});

Deno.test("a message that no model accepts is not taken from the visitor's messages", async () => {
  await using mock = await MockProviders.start({ otherwise: () => ({ status: 400, body: "no" }) });
  await using providers = await ProviderService.start(mock);
  const { service } = providers;
  const key = await service.key(["agents:write", "widget:mint", "billing:read"]);
  const agent = await providers.agent("vendor_a", { allowedOrigins: [ORIGIN] });
  const visitor = { id: EMAIL, limits: { messages: 1, per: "total" } };
  const sessionToken = await mint(service, { key, agentId: agent.id, visitor });
  for (let n = 0; n < 3; n++) {
    const answer = await onPage(service, { agent, sessionToken });
    assertEquals(answer.status, 502, await answer.text());
  }
  const { messages } = await expectJson(await ownLimits(service, sessionToken), 200);
  assertEquals(messages, { limit: 1, left: 1 });
});

Deno.test("PUT /v1/visitors/:id/limits: applies to the next message, whatever the id looks like", async (t) => {
  const { kv, service, agent, put, get, mintFor } = await open();
  await using _ = service;
  for (const id of [EMAIL, "a/b", "50%", "%40", "a b+c?d#e", "ключ", "\u{1F600}", "..."]) {
    await t.step(id, async () => {
      const report = await expectJson(await put(id, { messages: 1, per: "total" }), 200);
      assertEquals(report, { messages: { limit: 1, left: 1 }, per: "total" });
      const sessionToken = await mintFor({ id });
      await readFrames(await onPage(service, { agent, sessionToken }));
      const rejected = await onPage(service, { agent, sessionToken });
      await expectError(rejected, "rate_limit_exceeded");
      assertEquals((await expectJson(await get(id, "usage"), 200)).messages, 1);
      const raised = await put(id, { messages: 2, per: "month" });
      assertEquals((await expectJson(raised, 200)).messages, { limit: 2, left: 1 });
      await readFrames(await onPage(service, { agent, sessionToken }));
      const unlimited = await expectJson(await put(id, { per: "month" }), 200);
      assertEquals(Object.keys(unlimited), ["per", "resetsAt"]);
      await readFrames(await onPage(service, { agent, sessionToken }));
    });
  }
  await t.step("its account has neither id nor hash in the clear", async () => {
    const stored = await storedText(kv, { content: undefined });
    assertStringIncludes(stored, "visitor_accounts");
    assertFalse(stored.includes(EMAIL));
    assertFalse(service.logged.join("").includes("customer.example"));
  });
});

Deno.test("PUT /v1/visitors/:id/limits: rejects what is not valid, other keys and other methods", async (t) => {
  const { service, key, put, get } = await open();
  await using _ = service;
  const cases: [json: unknown, paths: string[]][] = [
    [{}, ["per"]],
    [{ per: "week" }, ["per"]],
    [{ per: "day", costUsd: -1 }, ["costUsd"]],
    [{ per: "day", costUsd: "1" }, ["costUsd"]],
    [{ per: "day", messages: 1.5 }, ["messages"]],
    [{ per: "day", tokens: 1 }, ["tokens"]],
    [null, [""]],
  ];
  for (const [json, paths] of cases) {
    await t.step(JSON.stringify(json), async () => {
      await expectInvalid(await put(EMAIL, json), paths);
    });
  }
  await t.step("an id that is not valid", async () => {
    for (const id of ["x".repeat(129), "a\nb", "a\u0085"]) {
      await expectInvalid(await put(id, { per: "day" }), ["id"]);
      await expectInvalid(await get(id, "usage"), ["id"]);
    }
  });
  await t.step("a key without the scope", async () => {
    const reader = await service.key(["billing:read"]);
    const minter = await service.key(["widget:mint"]);
    const send = (key: string, method: string) => {
      const init = method === "PUT" ? { json: { per: "day" } } : {};
      return service.fetch(at(EMAIL, "limits"), { method, key, ...init });
    };
    assertEquals((await send(minter, "GET")).status, 200);
    await expectError(await send(reader, "PUT"), "insufficient_scope");
    await expectError(await send(reader, "GET"), "insufficient_scope");
    const usage = await service.fetch(at(EMAIL, "usage"), { key: minter });
    await expectError(usage, "insufficient_scope");
  });
  await t.step("another tenant's visitor of the same id", async () => {
    await expectJson(await put(EMAIL, { messages: 3, per: "day" }), 200);
    const tenant = await service.service.tenants.create("Other");
    const other = await service.key(["widget:mint"], tenant.id);
    const answer = await service.fetch(at(EMAIL, "limits"), { key: other });
    assertEquals(await expectJson(answer, 200), {});
  });
  await t.step("an unknown method is no PUT", async () => {
    const answer = await service.fetch(at(EMAIL, "limits"), { method: "PROPFIND", key });
    assertEquals(answer.headers.get("allow"), "GET, PUT, HEAD, OPTIONS");
    await expectError(answer, "method_not_allowed");
  });
});

Deno.test("GET /v1/chat/limits: for live sessions on their own page only", async () => {
  const { time, service, agent, key, mintFor } = await open();
  await using _ = service;
  await expectError(await service.fetch("/v1/chat/limits"), "session_token_invalid");
  await expectError(await service.fetch("/v1/chat/limits", { key }), "session_token_invalid");
  const sessionToken = await mintFor({ id: EMAIL, limits: { costUsd: 1.5, per: "month" } });
  const elsewhere = await ownLimits(service, sessionToken, { origin: "https://evil.example" });
  await expectError(elsewhere, "origin_not_allowed");
  const answer = await ownLimits(service, sessionToken, { origin: ORIGIN });
  assertEquals(answer.headers.get("access-control-allow-origin"), "*");
  const { costUsd } = await expectJson(answer, 200);
  assertEquals(costUsd, { limit: 1.5, left: 1.5 });
  const unnamed = await service.mint(key, agent.id, ORIGIN);
  assertEquals(await expectJson(await ownLimits(service, unnamed), 200), {});
  time.advance(15 * 60_000);
  await expectError(await ownLimits(service, sessionToken), "session_token_invalid");
});

Deno.test("POST /v1/widget/session: limits that are not valid are a 400, and none are stored", async () => {
  const { service, agent, key, get } = await open();
  await using _ = service;
  const send = (visitor: unknown, origin = ORIGIN) =>
    service.fetch("/v1/widget/session", {
      method: "POST",
      key,
      json: { agentId: agent.id, visitor },
      headers: { origin },
    });
  const limits = { messages: 1, per: "day" };
  await expectInvalid(await send({ id: EMAIL, limits: { messages: 1 } }), ["visitor.limits.per"]);
  await expectInvalid(await send({ id: EMAIL, limits, variables: { other: 1 } }), [
    "visitor.variables.other",
  ]);
  const foreign = await send({ id: EMAIL, limits }, "https://evil.example");
  await expectError(foreign, "origin_not_allowed");
  assertEquals(await expectJson(await get(EMAIL, "limits"), 200), {});
});

Deno.test("a visitor's limits hold over two processes that share a store", async () => {
  const kv = await openTestKv();
  const time = instantRuntime();
  await using first = await TestService.start({ ...time, kv, keepKv: true });
  await using second = await TestService.start({ ...time, kv });
  const { agent, key } = await embed(first);
  const services = [first, second];
  const visitor = { id: EMAIL, limits: { messages: 30, per: "month" } };
  const tokens: string[] = [];
  for (let n = 0; n < 4; n++) {
    tokens.push(await mint(first, { key, agentId: agent.id, visitor }));
  }
  const statuses: number[] = [];
  // No more at once than the tenant has streams.
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 8 }, async (_, n) => {
      const answer = await chat(services[n % 2]!, agent, {
        sessionToken: tokens[n % 4]!,
        body: { messages: [say(`${round} ${n}`)] },
      });
      await answer.text();
      return answer.status;
    }));
    statuses.push(...answers);
  }
  assertEquals(statuses.filter((status) => status === 200).length, 30);
  assertEquals(statuses.filter((status) => status === 429).length, 50);
});
