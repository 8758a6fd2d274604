import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";
import { chat, embed, ORIGIN } from "./support/widget_calls.ts";

const MINT = "/v1/widget/session";

Deno.test("POST /v1/widget/session answers 201 with token, expiry in 15 minutes and cap 50", async () => {
  const time = instantRuntime(Date.UTC(2026, 0, 1));
  await using service = await TestService.start(time);
  const { key, agent } = await embed(service);
  const minted = await mint(service, { key, json: { agentId: agent.id } });
  const { sessionToken, ...rest } = await expectJson(minted, 201);
  assertEquals(rest, { expiresAt: "2026-01-01T00:15:00.000Z", messageCap: 50 });
  assertMatch(sessionToken, /^cs_[\w-]{13,253}$/);
  assertMatch(minted.headers.get("location") ?? "", /^\/v1\//);
  const again = await expectJson(await mint(service, { key, json: { agentId: agent.id } }), 201);
  assertNotEquals(again.sessionToken, sessionToken);
});

Deno.test("POST /v1/widget/session accepts only an Origin that equals an allowed one", async (t) => {
  await using service = await TestService.start(instantRuntime());
  const { agent } = await embed(service);
  const rejected = [
    undefined,
    "null",
    "",
    "https://evil.example.com",
    "https://shop.example.com.evil.example",
    `${ORIGIN}/`,
    `${ORIGIN}:443`,
    `${ORIGIN}:8443`,
    "http://shop.example.com",
    "HTTPS://shop.example.com",
    "https://Shop.example.com",
    "shop.example.com",
    "*",
    `${ORIGIN}, ${ORIGIN}`,
  ];
  for (const origin of rejected) {
    await t.step(`Origin: ${origin ?? "(absent)"}`, async () => {
      const key = await service.key(["widget:mint"]);
      const answer = await mint(service, {
        key,
        json: { agentId: agent.id },
        origin: origin ?? null,
      });
      await expectError(answer, "origin_not_allowed");
    });
  }
});

Deno.test("POST /v1/widget/session rejects every origin for an agent that allows none", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (const change of [{}, { allowedOrigins: [] }]) {
    const agent = await service.agent(key, change);
    for (const origin of [ORIGIN, "null", service.url]) {
      const answer = await mint(service, { key, json: { agentId: agent.id }, origin });
      await expectError(answer, "origin_not_allowed");
    }
  }
});

Deno.test("POST /v1/widget/session checks credential, scope, absent Origin, body, agent, Origin in that order", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const reader = await service.key(["agents:write"]);
  const unknown = { agentId: crypto.randomUUID() };
  const wrong = { agentId: "x" };
  await expectError(
    await mint(service, { key: "nonsense", json: wrong, origin: null }),
    "invalid_api_key",
  );
  const scope = await expectError(
    await mint(service, { key: reader, json: wrong, origin: null }),
    "insufficient_scope",
  );
  assertEquals(scope.details, { scope: "widget:mint" });
  await expectError(
    await mint(service, { key, json: wrong, origin: null }),
    "origin_not_allowed",
  );
  await expectInvalid(await mint(service, { key, json: wrong, origin: "https://evil.example" }), [
    "agentId",
  ]);
  await expectError(
    await mint(service, { key, json: unknown, origin: "https://evil.example" }),
    "not_found",
  );
  const foreign = await mint(service, {
    key,
    json: { agentId: agent.id },
    origin: "https://evil.example",
  });
  await expectError(foreign, "origin_not_allowed");
});

Deno.test("POST /v1/widget/session rejects a body that is not exactly an agentId", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const agentId = agent.id;
  const invalidBodies: [unknown, string[]][] = [
    [{}, ["agentId"]],
    [{ agentId: null }, ["agentId"]],
    [{ agentId: 5 }, ["agentId"]],
    [{ agentId, origin: ORIGIN }, ["origin"]],
    [null, [""]],
    [[agentId], [""]],
    [agentId, [""]],
  ];
  for (const [json, paths] of invalidBodies) {
    await expectInvalid(await mint(service, { key, json }), paths);
  }
});

Deno.test("DELETE /v1/widget/session revokes once, 204, and is 404 afterwards", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const revoke = (json: unknown) => service.fetch(MINT, { method: "DELETE", key, json });
  const revoked = await revoke({ sessionToken });
  assertEquals([revoked.status, await revoked.text()], [204, ""]);
  await expectError(await chat(service, agent, { sessionToken }), "session_token_invalid");
  await expectError(await revoke({ sessionToken }), "not_found");
});

Deno.test("DELETE /v1/widget/session needs the scope, the body and a session of the tenant", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const revoke = (as: string, json: unknown) =>
    service.fetch(MINT, { method: "DELETE", key: as, json });
  const scopeless = await service.key(["agents:write"]);
  await expectError(await revoke(scopeless, { sessionToken }), "insufficient_scope");
  const stranger = await service.key(["widget:mint"], crypto.randomUUID());
  await expectError(await revoke(stranger, { sessionToken }), "not_found");
  await expectInvalid(await revoke(key, {}), ["sessionToken"]);
  await expectInvalid(await revoke(key, { sessionToken: "cs_short" }), ["sessionToken"]);
  await expectInvalid(await revoke(key, { sessionToken, agentId: agent.id }), ["agentId"]);
  const answer = await chat(service, agent, { sessionToken });
  assertEquals(answer.status, 200);
  await answer.text();
});

Deno.test("POST /v1/agents/:id/playground-session needs no Origin and accepts the service's own", async () => {
  const time = instantRuntime(Date.UTC(2026, 0, 1));
  await using service = await TestService.start(time);
  const key = await service.key(["agents:write"]);
  const agent = await service.agent(key);
  for (const headers of [{}, { origin: service.url }]) {
    const minted = await playground(service, agent, { key, headers });
    const { sessionToken, ...rest } = await expectJson(minted, 201);
    assertEquals(rest, { expiresAt: "2026-01-01T00:15:00.000Z", messageCap: 50 });
    const answer = await chat(service, agent, { sessionToken, headers });
    assertEquals(answer.status, 200, await answer.text());
  }
});

Deno.test("POST /v1/agents/:id/playground-session is 403 for any other Origin, even an embed's", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  for (const origin of [ORIGIN, "null", "https://evil.example", `${service.url}/`]) {
    const answer = await playground(service, agent, { key, headers: { origin } });
    await expectError(answer, "origin_not_allowed");
  }
});

Deno.test("POST /v1/agents/:id/playground-session accepts only an empty body or {}", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const agent = await service.agent(key);
  await expectJson(await playground(service, agent, { key }), 201);
  await expectJson(await playground(service, agent, { key, json: {} }), 201);
  const agentId = await playground(service, agent, { key, json: { agentId: agent.id } });
  await expectInvalid(agentId, ["agentId"]);
  for (const json of [null, [], "x", 1]) {
    await expectInvalid(await playground(service, agent, { key, json }), [""]);
  }
});

Deno.test("POST /v1/agents/:id/playground-session needs agents:write, not widget:mint", async () => {
  await using service = await TestService.start();
  const agent = await service.agent(await service.key());
  for (const scope of ["widget:mint", "agents:read"] as const) {
    const answer = await playground(service, agent, { key: await service.key([scope]) });
    const { details } = await expectError(answer, "insufficient_scope");
    assertEquals(details, { scope: "agents:write" });
  }
});

Deno.test("POST /v1/chat/stream: a playground session is rejected from another origin", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  for (const headers of [{}, { origin: service.url }]) {
    const minted = await expectJson(await playground(service, agent, { key, headers }), 201);
    const answer = await chat(service, agent, {
      sessionToken: minted.sessionToken,
      headers: { origin: ORIGIN },
    });
    await expectError(answer, "origin_not_allowed");
  }
});

/** `origin: null` sends no Origin. */
function mint(service: TestService, call: { key: string; json: unknown; origin?: string | null }) {
  const { key, json, origin = ORIGIN } = call;
  const headers: HeadersInit = origin === null ? {} : { origin };
  return service.fetch(MINT, { method: "POST", key, json, headers });
}

function playground(
  service: TestService,
  agent: { id: string },
  init: { key: string; json?: unknown; headers?: HeadersInit },
) {
  return service.fetch(`/v1/agents/${agent.id}/playground-session`, { method: "POST", ...init });
}
