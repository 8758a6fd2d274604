/** Apps without pages: their sessions have no origin, and are always bound to a key. */
import { assertEquals } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { BoundSession, expectUnproven, mintSession } from "./support/bound_session.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { ownerCookie } from "./support/owner.ts";
import { ProofKey } from "./support/proofs.ts";
import { TestService } from "./support/service.ts";
import { ORIGIN, say } from "./support/widget_calls.ts";

async function start() {
  const service = await TestService.start();
  const apiKey = await service.key(["agents:write", "widget:mint", "conversations:read"]);
  const create = (nativeApps?: boolean) =>
    service.agent(apiKey, {
      allowedOrigins: [ORIGIN],
      ...nativeApps !== undefined && { nativeApps },
    });
  const dispose = () => service[Symbol.asyncDispose]();
  return { service, apiKey, create, [Symbol.asyncDispose]: dispose };
}

Deno.test("POST /v1/widget/session: without an Origin, a mint is for a native app of an agent that allows them, with bind", async () => {
  await using fixture = await start();
  const { service, apiKey, create } = fixture;
  const [agent, off, plain] = [await create(true), await create(false), await create()];
  const answer = async (of: { id: string }, mint: Record<string, unknown>) => {
    const response = await mintSession(service, { apiKey, agent: of, mint, headers: {} });
    const headers = [...response.headers]
      .filter(([name]) => !/^(date|x-request-id|ratelimit)/.test(name));
    return [response.status, await response.text(), JSON.stringify(headers)];
  };
  const rejected = await answer(plain, {});
  assertEquals(rejected.slice(0, 2), [
    403,
    '{"code":"origin_not_allowed","message":"forward the browser\'s Origin header with the mint","http":403}',
  ]);
  const unknown = { id: crypto.randomUUID() };
  for (const other of [off, plain, unknown, { id: "x" }]) {
    assertEquals(await answer(other, { bind: true }), rejected);
    assertEquals(await answer(other, { bind: 1, more: 1 }), rejected);
  }
  assertEquals(await answer(agent, {}), rejected);
  for (const body of ["", "{", "[]", "null"]) {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", key: apiKey, body, headers };
    await expectError(await service.fetch("/v1/widget/session", init), "origin_not_allowed");
  }
  for (const bind of [true, { jkt: await (await ProofKey.create()).jkt() }]) {
    assertEquals((await answer(agent, { bind }))[0], 201);
  }
  const invalid = await mintSession(service, {
    ...{ apiKey, agent, headers: {}, mint: { bind: "yes" } },
  });
  await expectError(invalid, "schema_validation_failed");
});

Deno.test("/v1/chat: the session of a native app works with proofs, and never in a browser", async () => {
  await using fixture = await start();
  const { service, apiKey, create } = fixture;
  const agent = await create(true);
  const session = await BoundSession.mint(service, { apiKey, agent, headers: {} });
  const answer = await session.send();
  assertEquals((await readFrames(answer)).at(-1)?.frame.type, "done");
  assertEquals((await session.call("/v1/chat/limits")).status, 200);
  await expectUnproven(await session.call("/v1/chat/limits", { key: null }));
  const resume = `/v1/chat/runs/${answer.headers.get("x-run-id")}/stream`;
  for (const origin of [ORIGIN, "null", "native-app", service.url]) {
    for (const path of ["/v1/chat/limits", resume, "/v1/chat/conversations"]) {
      const response = await session.call(path, { headers: { origin } });
      await expectError(response, "origin_not_allowed");
    }
    await expectError(await session.send({ headers: { origin } }), "origin_not_allowed");
  }
  for (const site of ["none", "same-origin", "cross-site"]) {
    const headers = { "sec-fetch-site": site };
    await expectError(await session.send({ headers }), "origin_not_allowed");
  }
});

Deno.test("PATCH /v1/agents/:id: switching native apps off ends their sessions", async () => {
  await using fixture = await start();
  const { service, apiKey, create } = fixture;
  const agent = await create(true);
  const session = await BoundSession.mint(service, { apiKey, agent, headers: {} });
  assertEquals(await (await session.send()).text() !== "", true);
  const init = { method: "PATCH", key: apiKey, json: { nativeApps: false } };
  const patched = await expectJson(await service.fetch(`/v1/agents/${agent.id}`, init), 200);
  assertEquals(patched.nativeApps, false);
  await expectError(await session.send(), "origin_not_allowed");
  await expectError(await session.call("/v1/chat/limits"), "origin_not_allowed");
});

Deno.test("/v1/chat: conversations of native apps have a place of their own", async () => {
  await using fixture = await start();
  const { service, apiKey, create } = fixture;
  const agent = await create(true);
  const conversationId = crypto.randomUUID();
  const visitor = { id: "ada" };
  const session = await BoundSession.mint(service, {
    ...{ apiKey, agent, headers: {}, mint: { bind: true, visitor } },
  });
  const page = await BoundSession.mint(service, { apiKey, agent, mint: { visitor } });
  for (const one of [session, page]) {
    const json = {
      agentId: agent.id,
      sessionToken: one.token,
      messages: [say("Hi")],
      conversationId,
    };
    await (await one.send({ json })).text();
  }
  const { data } = await expectJson(await service.fetch("/v1/conversations", { key: apiKey }), 200);
  const origins = data.map(({ origin }: { origin: string }) => origin).sort();
  assertEquals(origins, [ORIGIN, "native-app"]);
  const path = `/v1/conversations/${conversationId}?agentId=${agent.id}&origin=native-app`;
  const found = await expectJson(await service.fetch(path, { key: apiKey }), 200);
  assertEquals(found.runs.length, 1);
  const own = await expectJson(await session.call(`/v1/chat/conversations/${conversationId}`), 200);
  assertEquals(own.id, conversationId);
});

Deno.test("POST /v1/agents: nativeApps is a boolean", async () => {
  await using fixture = await start();
  const { service, apiKey, create } = fixture;
  const { id } = await create();
  for (const nativeApps of ["yes", 1, null, {}]) {
    const init = { method: "PATCH", key: apiKey, json: { nativeApps } };
    await expectError(await service.fetch(`/v1/agents/${id}`, init), "schema_validation_failed");
  }
});

Deno.test("/agents: native apps are allowed on the Embed page, and in the form of a new agent", async () => {
  await using fixture = await start();
  const { service, create } = fixture;
  const { agents } = service.service;
  const [tenant, cookie] = [await service.tenant(), await ownerCookie(service)];
  const { id } = await create();
  const path = `/agents/${id}/embed`;
  const post = async (to: string, fields: Record<string, string>) => {
    const init = { method: "POST", body: new URLSearchParams(fields), headers: { cookie } };
    const response = await service.fetch(to, init);
    await response.text();
    return response;
  };
  const selected = async () => {
    const html = await (await service.fetch(path, { headers: { cookie } })).text();
    return /<option[^>]* selected[^>]*>([^<]*allowed)</i.exec(html)?.[1];
  };
  assertEquals(await selected(), "Not allowed");
  assertEquals((await post(path, { nativeApps: "yes" })).status, 303);
  const changed = await agents.get(tenant, id);
  assertEquals([changed.nativeApps, changed.allowedOrigins], [true, [ORIGIN]]);
  assertEquals(await selected(), "Allowed");
  const other = { origin: "https://other.example.com" };
  assertEquals((await post(path, other)).status, 303);
  assertEquals((await agents.get(tenant, id)).nativeApps, true);
  const { version: _, ...copied } = toFormValues(await agents.get(tenant, id));
  const made = await post("/agents/new", { ...copied, name: "Copy" });
  const [, copy = ""] = /agents\/([0-9a-f-]{36})/.exec(made.headers.get("location") ?? "") ?? [];
  assertEquals((await agents.get(tenant, copy)).nativeApps, true);
  assertEquals((await post(path, { nativeApps: "" })).status, 303);
  assertEquals((await agents.get(tenant, id)).nativeApps, false);
});
