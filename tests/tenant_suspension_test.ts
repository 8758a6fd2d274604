/** A suspended tenant: everything of it is rejected at once in every process, and nothing is lost. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { FakeModel, text } from "./support/fake_model.ts";
import { readFrames } from "./support/frames.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { byKey, onPage, ORIGIN } from "./support/widget_calls.ts";

const REASON = "The invoice of May is unpaid.";

/** Two processes on one store, an operator, and a tenant with an owner, an agent, a key and a session. */
async function openTenant() {
  const kv = await openTestKv();
  const start = () => TestService.start({ kv, keepKv: true, env: { SETUP_TOKEN, DEMO: "off" } });
  const [one, two] = [await start(), await start()];
  const operator = await Dashboard.setUp(one);
  const tenant = (await one.service.tenants.create("Shop")).id;
  const owner = await Dashboard.join(one, "owner", { tenant, name: "shop" });
  const key = await one.key(["agents:write", "widget:mint", "billing:read"], tenant);
  const agent = await one.agent(key, { allowedOrigins: [ORIGIN] });
  const sessionToken = await one.mint(key, agent.id, ORIGIN);
  const path = `/operator/tenants/${tenant}`;
  const suspend = () => operator.post(`${path}/suspend`, { reason: REASON });
  return {
    ...{ one, two, operator, owner, tenant, key, agent, sessionToken, path, suspend },
    [Symbol.asyncDispose]: async () => {
      await one[Symbol.asyncDispose]();
      await two[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

async function answerOf(answer: Promise<Response>): Promise<[status: number, code?: string]> {
  const { status, headers, body } = await answer;
  if (status < 400 || !headers.get("content-type")?.startsWith("application/json")) {
    await body?.cancel();
    return [status];
  }
  return [status, (await new Response(body).json()).code];
}

Deno.test("a suspended tenant's keys, sessions, mints and share links are rejected in every process, and work again once it is resumed", async () => {
  await using fixture = await openTenant();
  const { one, two, operator, tenant, key, agent, sessionToken, path, suspend } = fixture;
  const share = await one.service.shares.create({ tenant, agentId: agent.id }, agent.name);
  const calls = (service: TestService): [what: string, call: () => Promise<Response>][] => [
    ["a read with a key", () => service.fetch("/v1/agents", { key })],
    ["usage", () => service.fetch("/v1/usage", { key })],
    ["a chat with a key", () => byKey(service, { key, body: { agentId: agent.id } })],
    ["a chat with a session", () => onPage(service, { agent, sessionToken })],
    ["a visitor's conversations", () =>
      service.fetch("/v1/chat/conversations", {
        headers: { "x-service-session": sessionToken, origin: ORIGIN },
      })],
    ["a mint", () =>
      service.fetch("/v1/widget/session", {
        ...{ method: "POST", key, json: { agentId: agent.id }, headers: { origin: ORIGIN } },
      })],
  ];
  assertEquals(await answerOf(one.fetch(`/chat/${share}`)), [200]);
  // Also what a process has read before must not let a request through.
  for (const service of [one, two]) {
    for (const [what, call] of calls(service)) {
      const [status] = await answerOf(call());
      assert(status < 300, `${what}: ${status}`);
    }
  }
  assertEquals((await answerOf(suspend()))[0], 303);
  for (const service of [two, one]) {
    for (const [what, call] of calls(service)) {
      assertEquals(await answerOf(call()), [403, "tenant_suspended"], what);
    }
    assertEquals(await answerOf(service.fetch(`/chat/${share}`)), [404]);
  }
  // Another tenant is not concerned.
  const other = await one.key(["agents:read"]);
  assertEquals(await answerOf(two.fetch("/v1/agents", { key: other })), [200]);
  assertEquals((await answerOf(operator.post(`${path}/resume`)))[0], 303);
  for (const service of [two, one]) {
    for (const [what, call] of calls(service)) {
      const [status] = await answerOf(call());
      assert(status < 300, `${what} after the suspension: ${status}`);
    }
  }
});

Deno.test("suspending stops answers in progress, also those of another process", async () => {
  await using fixture = await openTenant();
  const { one, two, key, agent, suspend } = fixture;
  const never = new Promise<never>(() => {});
  const streams = [];
  for (const service of [one, two]) {
    const model = new FakeModel([text("Well, "), never]);
    (service.service.providers as ModelRegistry).find = () => model;
    streams.push(await byKey(service, { key, body: { agentId: agent.id } }));
  }
  assertEquals((await answerOf(suspend()))[0], 303);
  for (const stream of streams) {
    const last = (await readFrames(stream)).at(-1)!.frame;
    assert(last.type === "done" && last.finishReason === "cancelled", JSON.stringify(last));
  }
});

Deno.test("users of a suspended tenant sign in, read why, and change nothing but their account", async () => {
  await using fixture = await openTenant();
  const { one, two, operator, owner, tenant, agent, path, suspend } = fixture;
  await answerOf(suspend());
  await one.service.team.members(tenant);
  const again = new Dashboard(two);
  const signedIn = await again.post("/sign-in", {
    email: "shop@example.com",
    password: "correct horse battery",
  });
  assertEquals(signedIn.status, 303);
  again.keep(signedIn);
  for (const user of [owner, again]) {
    for (const page of ["/home", `/agents/${agent.id}`, "/usage", "/audit"]) {
      const answer = await user.get(page);
      assertEquals(answer.status, 200, page);
      assertStringIncludes(await answer.text(), REASON, page);
    }
  }
  for (
    const page of ["/api-keys/new", "/agents/new", `/agents/${agent.id}/delete`, "/team/invite"]
  ) {
    const rejected = await owner.post(page, { name: "x", confirmName: agent.name });
    assertEquals(rejected.status, 403, page);
    assertStringIncludes(await rejected.text(), REASON, page);
  }
  const draft = owner.send(`/agents/${agent.id}/try`, {
    messages: [{ role: "user", content: "x" }],
  });
  assertEquals((await answerOf(draft))[0], 403);
  assertEquals((await one.service.agents.list(tenant, { limit: 10 })).data.length, 1);
  assertEquals((await answerOf(owner.post("/account/theme", { theme: "dark" })))[0], 303);
  // An operator sees it, and saving the plan does not end it.
  const html = await (await operator.get(path)).text();
  for (const words of [REASON, "Resume", "shop@example.com"]) assertStringIncludes(html, words);
  const { data } = await one.service.audit.list(tenant, { limit: 5, kind: "tenant" });
  assertEquals([data[0]!.action, data[0]!.changes[0]!.after], ["suspend", REASON]);
  const form = { visitorOverrides: "all", conversationDays: "9", models: "all" };
  assertEquals((await answerOf(operator.post(path, form)))[0], 303);
  const plan = await two.service.tenants.plan(tenant);
  assertEquals([plan.suspension?.reason, plan.conversationDays], [REASON, 9]);
});

Deno.test("no crawl of a suspended tenant begins; it begins once the tenant is resumed", async () => {
  await using fixture = await openTenant();
  const { one, tenant } = fixture;
  const { crawls, knowledge, tenantLifecycle, webSources } = one.service;
  const base = await knowledge.create(tenant, { name: "Site" });
  const crawled = () => one.logged.filter((line) => line.includes("website crawled")).length;
  await tenantLifecycle.suspend(tenant, REASON);
  await webSources.create({ tenant, base: base.id }, { url: "https://127.0.0.1:9/", kind: "page" });
  await crawls.whenIdle();
  assertEquals(crawled(), 0);
  await tenantLifecycle.resume(tenant);
  crawls.wake();
  await crawls.whenIdle();
  assertEquals(crawled(), 1);
});

Deno.test("/operator/tenants/:id/rename: renames with an entry in both logs, and rejects an empty name", async () => {
  await using fixture = await openTenant();
  const { one, operator, owner, tenant, path } = fixture;
  assertEquals((await answerOf(operator.post(`${path}/rename`, { name: "  " })))[0], 400);
  assertEquals((await answerOf(operator.post(`${path}/rename`, { name: " Big shop " })))[0], 303);
  assertStringIncludes(await (await owner.get("/settings")).text(), "Big shop");
  for (const log of ["installation", tenant]) {
    const { data: [entry] } = await one.service.audit.list(log, { limit: 1 });
    assertEquals([entry!.action, entry!.changes], ["rename", [
      { field: "name", before: "Shop", after: "Big shop" },
    ]]);
  }
  assertEquals((await answerOf(owner.post(`${path}/rename`, { name: "Mine" })))[0], 403);
});
