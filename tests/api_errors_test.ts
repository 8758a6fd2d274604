import type { Scope } from "@/lib/schemas/scopes.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { breakableKv } from "./support/broken_kv.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { methodsOfV1 } from "./support/public_routes.ts";
import { sendRawBody } from "./support/raw_calls.ts";
import { agentBody, TestService } from "./support/service.ts";
import { chat, ORIGIN, say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const ID = crypto.randomUUID();

Deno.test("/v1: a missing, malformed, mistyped, revoked or expired key is the same 401", async () => {
  const time = instantRuntime();
  await using service = await TestService.start(time);
  const tenant = await service.tenant();
  const { apiKeys } = service.service;
  const key = await service.key();
  const revoked = await apiKeys.create(tenant, { name: "r", scopes: ["agents:read"] });
  await apiKeys.revoke(tenant, revoked.apiKey.id);
  const expiresAt = new Date(time.runtime.now() + 1000).toISOString();
  const expired = await apiKeys.create(tenant, { name: "e", scopes: ["agents:read"], expiresAt });
  await expectJson(await service.fetch("/v1/agents", { key: expired.secret }), 200);
  time.advance(1000);
  const stranger = (await service.key()).replace(/_\w{8}_/, "_00000000_");
  const headers: HeadersInit[] = [
    {},
    ...["", "Bearer", "Bearer ", `Basic ${key}`, key, `Bearer ${key} x`].map(authorization),
    ...[revoked.secret, expired.secret, stranger, `${key}x`, key.slice(0, -1), key.toUpperCase()]
      .map((text) => authorization(`Bearer ${text}`)),
  ];
  const messages = new Set<string>();
  for (const header of headers) {
    const answer = await service.fetch("/v1/agents", { headers: header });
    assertMatch(answer.headers.get("www-authenticate") ?? "", /^Bearer realm=/);
    messages.add((await expectError(answer, "invalid_api_key")).message);
  }
  assertEquals(messages.size, 1, "the error must not reveal which part was wrong");
  const lowercase = await service.fetch("/v1/agents", { headers: authorization(`bearer ${key}`) });
  await expectJson(lowercase, 200);
});

Deno.test("/v1: a key without the scope is 403 insufficient_scope, which names the scope", async (t) => {
  await using service = await TestService.start();
  const agent = `/v1/agents/${ID}`;
  const conversation = `/v1/conversations/${ID}`;
  const wanted: [string, string, Scope][] = [
    ["GET", "/v1/usage", "billing:read"],
    ["GET", "/v1/agents", "agents:read"],
    ["POST", "/v1/agents", "agents:write"],
    ["GET", agent, "agents:read"],
    ["PATCH", agent, "agents:write"],
    ["DELETE", agent, "agents:write"],
    ["GET", `${agent}/versions`, "agents:read"],
    ["GET", `${agent}/versions/1`, "agents:read"],
    ["GET", `${agent}/feedback`, "agents:read"],
    ["POST", `${agent}/playground-session`, "agents:write"],
    ["GET", "/v1/conversations", "conversations:read"],
    ["GET", conversation, "conversations:read"],
    ["DELETE", conversation, "conversations:write"],
    ["POST", "/v1/widget/session", "widget:mint"],
    ["DELETE", "/v1/widget/session", "widget:mint"],
  ];
  for (const [method, path, scope] of wanted) {
    await t.step(`${method} ${path} needs ${scope}`, async () => {
      const other: Scope = scope === "billing:read" ? "knowledge:read" : "billing:read";
      const key = await service.key([other]);
      const answer = await service.fetch(path, { method, key });
      const { details, message } = await expectError(answer, "insufficient_scope");
      assertEquals(details, { scope });
      assert(message.includes(scope));
    });
  }
});

Deno.test("agents:write includes agents:read, and agents:read does not include agents:write", async () => {
  await using service = await TestService.start();
  const [writer, reader] = [
    await service.key(["agents:write"]),
    await service.key(["agents:read"]),
  ];
  await expectJson(await service.fetch("/v1/agents", { key: writer }), 200);
  await expectJson(await service.fetch("/v1/agents", { key: reader }), 200);
  const rejected = await service.fetch("/v1/agents", { method: "POST", key: reader, json: {} });
  await expectError(rejected, "insufficient_scope");
});

Deno.test("/v1: an unknown path is the 404 envelope for any method and credential", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (
    const path of ["/v1", "/v1/", "/v1/nothing", `/v1/agents/${ID}/nothing`, "/v1/chat/nothing"]
  ) {
    for (const method of ["GET", "POST", "PUT"]) {
      await expectError(await service.fetch(path, { method }), "not_found");
    }
    await expectError(await service.fetch(path, { key }), "not_found");
  }
});

Deno.test("/v1: a wrong method is the 405 envelope with Allow, before the credential is checked", async () => {
  await using service = await TestService.start();
  for (const [path, allowed] of methodsOfV1()) {
    const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      if (allowed.includes(method)) continue;
      const answer = await service.fetch(path, { method });
      assertEquals(listOf(answer.headers.get("allow")), allow);
      await expectError(answer, "method_not_allowed");
    }
    const options = await service.fetch(path, { method: "OPTIONS" });
    assertEquals([options.status, await options.text()], [204, ""]);
    assertEquals(listOf(options.headers.get("allow")), allow);
    assert(options.headers.has("x-request-id"));
  }
});

Deno.test("/v1: x-request-id is new on every response and never echoes the caller's", async () => {
  await using service = await TestService.start();
  const mine = crypto.randomUUID();
  const seen = new Set<string>([mine]);
  for (let n = 0; n < 3; n++) {
    const answer = await service.fetch("/v1/agents", { headers: { "x-request-id": mine } });
    await answer.body?.cancel();
    seen.add(answer.headers.get("x-request-id")!);
  }
  assertEquals(seen.size, 4);
});

Deno.test("/v1: a body that is not a strict JSON object is 400 with the path of the issue", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (const path of ["/v1/agents", "/v1/chat/stream"]) {
    for (const body of ["", "{", "{'a':1}", "null", "[]", '"x"', "1", "{} {}", "\ufeff{", "NaN"]) {
      await expectInvalid(await sendRawBody(service, { path, key, body }), [""]);
    }
    const latin = new Uint8Array([0x7b, 0xe9, 0x7d]);
    await expectInvalid(await sendRawBody(service, { path, key, body: latin }), [""]);
  }
  const proto = JSON.stringify(agentBody()).replace("{", '{"__proto__":{"admin":true},');
  await expectInvalid(await sendRawBody(service, { key, body: proto }), ["__proto__"]);
});

Deno.test("/v1: a deeply nested body is 400, not 500", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const tool = httpTool({ request: { method: "POST", url: "https://api.example.com/", body: 0 } });
  const json = { ...agentBody(), tools: [tool], allowedDomains: ["api.example.com"] };
  const nested = JSON.stringify(json).replace('"body":0', `"body":${deep}`);
  for (const body of [deep, nested]) {
    await expectInvalid(await sendRawBody(service, { key, body }), [""]);
  }
  assertEquals(service.logged.filter((line) => line.includes('"error"')), []);
});

Deno.test("/v1: a body of another content type is 415, before the credential is checked", async () => {
  await using service = await TestService.start();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/json", ""]) {
    const body = new TextEncoder().encode(JSON.stringify(agentBody()));
    const answer = await sendRawBody(service, { body, type });
    await expectError(answer, "unsupported_media_type");
  }
  const key = await service.key();
  for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
    const body = JSON.stringify(agentBody());
    await expectJson(await sendRawBody(service, { key, body, type }), 201);
  }
});

Deno.test("/v1: a body over 1 MiB is 413 by its length and by its chunks, before the credential is checked", async () => {
  await using service = await TestService.start();
  const mebibyte = 1_048_576;
  for (const path of ["/v1/agents", "/v1/chat/stream", "/v1/widget/session"]) {
    const whole = new Uint8Array(mebibyte + 1).fill(0x20);
    await expectError(await sendRawBody(service, { path, body: whole }), "payload_too_large");
    const chunked = chunks(mebibyte + 1);
    await expectError(await sendRawBody(service, { path, body: chunked }), "payload_too_large");
  }
  const key = await service.key();
  const text = JSON.stringify(agentBody());
  const exact = text + " ".repeat(mebibyte - text.length);
  await expectJson(await sendRawBody(service, { key, body: exact }), 201);
});

Deno.test("/v1: checks size, then credential, then scope, then body", async () => {
  await using service = await TestService.start();
  const weak = await service.key(["billing:read"]);
  const big = new Uint8Array(1_048_577).fill(0x20);
  await expectError(await sendRawBody(service, { key: "x", body: big }), "payload_too_large");
  await expectError(await sendRawBody(service, { key: "x", body: "{" }), "invalid_api_key");
  await expectError(await sendRawBody(service, { key: weak, body: "{" }), "insufficient_scope");
  const key = await service.key();
  const path = `/v1/agents/${ID}`;
  const patch = (body: string) => sendRawBody(service, { method: "PATCH", path, key, body });
  await expectInvalid(await patch('{"name":""}'), ["name"]);
  await expectError(await patch("{}"), "not_found");
});

Deno.test("/v1: a failing store is 503 without the error text, which is logged redacted", async () => {
  const store = await breakableKv();
  await using service = await TestService.start({ kv: store.kv });
  const key = await service.key();
  store.break(`the disk failed for Bearer ${key}`, ["list"]);
  const answer = await service.fetch("/v1/agents", { key });
  assertEquals(answer.headers.get("retry-after"), "1");
  const requestId = answer.headers.get("x-request-id")!;
  const { message } = await expectError(answer, "service_unavailable");
  assertEquals(/disk|ck_live|Error|\bat\b/.test(message), false);
  const line = service.logged.find((one) => one.includes(requestId))!;
  assertMatch(line, /the disk failed/);
  assertEquals(line.includes(key.slice(-32)), false);
});

Deno.test("/v1: an internal error is 500 without its text, which is logged", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv });
  const key = await service.key();
  await kv.set(keys.agent(await service.tenant(), ID), { v: 1, name: 7 });
  const answer = await service.fetch(`/v1/agents/${ID}`, { key });
  const requestId = answer.headers.get("x-request-id")!;
  const { message } = await expectError(answer, "internal_error");
  assertEquals(/record|Error|\bat\b/.test(message), false);
  const line = service.logged.find((one) => one.includes(requestId))!;
  assertMatch(line, /stored record agents is not readable/);
});

Deno.test("/v1: a complete flow logs no key, no token and no part of them", async () => {
  const store = await breakableKv();
  await using service = await TestService.start({ ...instantRuntime(), kv: store.kv });
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const headers = { origin: ORIGIN };
  const body = { messages: [say(`my key is ${key} and my token is ${sessionToken}`)] };
  const flow = [
    () => chat(service, agent, { sessionToken, headers, body }),
    () => chat(service, agent, { sessionToken, headers: { origin: "https://evil.example" } }),
    () => service.fetch("/v1/chat/stream", { method: "POST", key, json: { agentId: agent.id } }),
    () => service.fetch("/v1/widget/session", { method: "DELETE", key, json: { sessionToken } }),
    () => chat(service, agent, { sessionToken, headers }),
  ];
  for (const step of flow) await (await step()).text();
  store.break(`failed with ${key} and ${sessionToken}`);
  for (const step of flow) await expectError(await step(), "service_unavailable");
  assertNotEquals(service.logged, []);
  const log = service.logged.join("");
  for (const secret of [key, key.slice(-32), sessionToken, sessionToken.slice(3)]) {
    assertEquals(log.includes(secret), false);
  }
});

Deno.test("/v1: a response is no-store unless it sets another caching policy", async () => {
  await using service = await TestService.start();
  const key = await service.key(["agents:write", "widget:mint"]);
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const mint = { method: "POST", key, json: { agentId: agent.id }, headers: { origin: ORIGIN } };
  for (
    const answer of [
      await service.fetch("/v1/widget/session", mint),
      await service.fetch(`/v1/agents/${agent.id}`, { key }),
      await service.fetch("/v1/agents"),
    ]
  ) {
    assertEquals(answer.headers.get("cache-control"), "no-store");
    await answer.body?.cancel();
  }
});

function authorization(value: string): HeadersInit {
  return { authorization: value };
}

function listOf(header: string | null): string[] {
  return (header ?? "").split(", ").sort();
}

/** `bytes` spaces without a content-length. */
function chunks(bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 65_536);
      if (size === 0) return controller.close();
      left -= size;
      controller.enqueue(new Uint8Array(size).fill(0x20));
    },
  });
}
