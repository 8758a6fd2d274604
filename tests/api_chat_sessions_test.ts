import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { byKey, chat, embed, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const CHAT = "/v1/chat/stream";
const MINUTE = 60_000;

Deno.test("POST /v1/chat/stream without a credential is 401 invalid_api_key", async () => {
  await using service = await TestService.start(instantRuntime());
  const { agent, sessionToken } = await embed(service);
  const json = { agentId: agent.id, sessionToken, messages: [say("Hello")] };
  const send = (headers: HeadersInit) => service.fetch(CHAT, { method: "POST", json, headers });
  await expectError(await send({}), "invalid_api_key");
  // An API key takes precedence over a session.
  const both = { authorization: "Bearer nonsense", "x-service-session": sessionToken };
  await expectError(await send(both), "invalid_api_key");
});

Deno.test("POST /v1/chat/stream: with an API key a session is optional, but header and body must agree", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent, sessionToken } = await embed(service);
  const send = (body: Record<string, unknown>, headers: HeadersInit = {}) =>
    byKey(service, { key, body: { agentId: agent.id, ...body }, headers });
  const header = { "x-service-session": sessionToken };
  for (
    const [body, headers] of [[{ sessionToken }, {}], [{}, header], [{ sessionToken }, header]]
  ) {
    assertEquals((await readFrames(await send(body!, headers as HeadersInit))).length > 0, true);
  }
  const other = { sessionToken: "cs_another_token_altogether" };
  await expectInvalid(await send(other, header), ["sessionToken"]);
  await expectInvalid(await send({ sessionToken: "cs_short" }), ["sessionToken"]);
  await expectInvalid(await send({}, { "x-service-session": "cs_short" }), ["sessionToken"]);
});

Deno.test("POST /v1/chat/stream: the body's sessionToken must equal the header, else 400", async () => {
  await using service = await TestService.start(instantRuntime());
  const { agent, sessionToken } = await embed(service);
  for (const mismatched of [undefined, "cs_another_token_altogether", `${sessionToken}x`]) {
    const answer = await onPage(service, {
      agent,
      sessionToken,
      body: { sessionToken: mismatched },
    });
    await expectInvalid(answer, ["sessionToken"]);
  }
});

Deno.test("POST /v1/chat/stream: a session for another agent is 401 session_token_invalid", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, sessionToken } = await embed(service);
  const other = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const answer = await onPage(service, { agent: other, sessionToken });
  await expectError(answer, "session_token_invalid");
});

Deno.test("POST /v1/chat/stream: an unknown, expired or revoked session is 401 session_token_invalid", async () => {
  const time = instantRuntime();
  await using service = await TestService.start(time);
  const { key, agent, sessionToken } = await embed(service);
  const unknown = { agent, sessionToken: "cs_nobody_ever_minted_this" };
  await expectError(await onPage(service, unknown), "session_token_invalid");
  const revoked = await service.mint(key, agent.id, ORIGIN);
  await service.service.sessions.revoke(await service.tenant(), revoked);
  const gone = await onPage(service, { agent, sessionToken: revoked });
  await expectError(gone, "session_token_invalid");
  time.advance(15 * MINUTE - 1);
  const last = await onPage(service, { agent, sessionToken });
  assertEquals(last.status, 200, await last.text());
  time.advance(1);
  await expectError(await onPage(service, { agent, sessionToken }), "session_token_invalid");
});

Deno.test("POST /v1/chat/stream: a session used from another origin is 403 session token rejected", async (t) => {
  await using service = await TestService.start(instantRuntime());
  const { agent, sessionToken } = await embed(service, {
    allowedOrigins: [ORIGIN, "https://second.example.com"],
  });
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "https://second.example.com" },
    { origin: "null" },
    { origin: `${ORIGIN}/` },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ];
  for (const headers of foreign) {
    await t.step(JSON.stringify(headers), async () => {
      const answer = await chat(service, agent, { sessionToken, headers });
      const { message } = await expectError(answer, "origin_not_allowed");
      assertMatch(message, /^session token rejected/);
    });
  }
});

Deno.test("POST /v1/chat/stream: a session without Origin is accepted outside browsers and from the same origin", async () => {
  await using service = await TestService.start(instantRuntime());
  const { agent, sessionToken } = await embed(service);
  const native: Record<string, string>[] = [
    {},
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
  ];
  for (const headers of native) {
    const answer = await chat(service, agent, { sessionToken, headers });
    assertEquals(answer.status, 200, await answer.text());
  }
});

Deno.test("POST /v1/chat/stream: an origin removed from the agent is rejected at once, even with a valid session", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent, sessionToken } = await embed(service);
  const json = { allowedOrigins: ["https://second.example.com"] };
  const patched = await service.fetch(`/v1/agents/${agent.id}`, { method: "PATCH", key, json });
  assertEquals(patched.status, 200, await patched.text());
  const { message } = await expectError(
    await onPage(service, { agent, sessionToken }),
    "origin_not_allowed",
  );
  assertMatch(message, /^session token rejected/);
});

Deno.test("POST /v1/chat/stream: a session of a deleted agent is 404", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent, sessionToken } = await embed(service);
  await (await service.fetch(`/v1/agents/${agent.id}`, { method: "DELETE", key })).body?.cancel();
  await expectError(await onPage(service, { agent, sessionToken }), "not_found");
});

Deno.test("POST /v1/chat/stream: the 51st message of a session is 429 until the session expires", async () => {
  const time = instantRuntime();
  await using service = await TestService.start(time);
  const { agent, sessionToken } = await embed(service);
  // Spaced out so that no other limit applies.
  for (let n = 0; n < 50; n++, time.advance(10_000)) {
    const answer = await onPage(service, { agent, sessionToken });
    assertEquals(answer.status, 200, await answer.text());
    // A rejected request does not count as a message.
    if (n === 0) await (await onPage(service, { agent, sessionToken, body: { x: 1 } })).text();
  }
  const answer = await onPage(service, { agent, sessionToken });
  assertEquals(answer.headers.get("retry-after"), String((15 * MINUTE - 50 * 10_000) / 1000));
  const { details, message } = await expectError(answer, "rate_limit_exceeded");
  assertEquals([details?.scope, details?.limit], ["session_messages", 50]);
  assertMatch(message, /mint/);
  const left = answer.headers.get("ratelimit") ?? "";
  assertMatch(left, /^"ip";r=\d+;t=\d+, "session_messages";r=0;t=400$/);
  assertStringIncludes(
    answer.headers.get("ratelimit-policy") ?? "",
    '"session_messages";q=50;w=900',
  );
});
