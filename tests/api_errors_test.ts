import type { Scope } from "@/lib/schemas/scopes.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { breakableKv } from "./support/broken_kv.ts";
import { expectInvalid, expectJson, expectRefusal } from "./support/expect_answer.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { methodsOfV1 } from "./support/public_routes.ts";
import { sendRawBody } from "./support/raw_calls.ts";
import { agentBody, TestService } from "./support/service.ts";
import { chat, ORIGIN, say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const ID = crypto.randomUUID();

Deno.test("every key that is absent, malformed, mistyped, revoked or expired is one 401", async () => {
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
    messages.add((await expectRefusal(answer, "invalid_api_key")).message);
  }
  assertEquals(messages.size, 1, "a refusal tells nobody which part was wrong");
  const lowercase = await service.fetch("/v1/agents", { headers: authorization(`bearer ${key}`) });
  await expectJson(lowercase, 200);
});

Deno.test("a key without the scope is 403 insufficient_scope, which names it", async (t) => {
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
    ["POST", `${agent}/playground-session`, "agents:write"],
    ["GET", "/v1/conversations", "conversations:read"],
    ["GET", conversation, "conversations:read"],
    ["DELETE", conversation, "conversations:write"],
    ["POST", "/v1/widget/session", "widget:mint"],
    ["DELETE", "/v1/widget/session", "widget:mint"],
  ];
  for (const [method, path, scope] of wanted) {
    await t.step(`${method} ${path} wants ${scope}`, async () => {
      const other: Scope = scope === "billing:read" ? "knowledge:read" : "billing:read";
      const key = await service.key([other]);
      const answer = await service.fetch(path, { method, key });
      const { details, message } = await expectRefusal(answer, "insufficient_scope");
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
  const refused = await service.fetch("/v1/agents", { method: "POST", key: reader, json: {} });
  await expectRefusal(refused, "insufficient_scope");
});

Deno.test("an unknown /v1 address is the 404 envelope, whatever the method and credential", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (
    const path of ["/v1", "/v1/", "/v1/nothing", `/v1/agents/${ID}/nothing`, "/v1/chat/nothing"]
  ) {
    for (const method of ["GET", "POST", "PUT"]) {
      await expectRefusal(await service.fetch(path, { method }), "not_found");
    }
    await expectRefusal(await service.fetch(path, { key }), "not_found");
  }
});

Deno.test("a wrong method is the 405 envelope with Allow, before any credential", async () => {
  await using service = await TestService.start();
  for (const [path, allowed] of methodsOfV1()) {
    const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      if (allowed.includes(method)) continue;
      const answer = await service.fetch(path, { method });
      assertEquals(listOf(answer.headers.get("allow")), allow);
      await expectRefusal(answer, "method_not_allowed");
    }
    const options = await service.fetch(path, { method: "OPTIONS" });
    assertEquals([options.status, await options.text()], [204, ""]);
    assertEquals(listOf(options.headers.get("allow")), allow);
    assert(options.headers.has("x-request-id"));
  }
});

Deno.test("x-request-id is new on every answer and never echoes the caller's", async () => {
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

Deno.test("a body that is no strict JSON object is 400 with the path of the fault", async () => {
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

Deno.test("a body nested without end is a 400, not a fault of ours", async () => {
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

Deno.test("a body of another content type is 415, before any credential", async () => {
  await using service = await TestService.start();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/json", ""]) {
    const body = new TextEncoder().encode(JSON.stringify(agentBody()));
    const answer = await sendRawBody(service, { body, type });
    await expectRefusal(answer, "unsupported_media_type");
  }
  const key = await service.key();
  for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
    const body = JSON.stringify(agentBody());
    await expectJson(await sendRawBody(service, { key, body, type }), 201);
  }
});

Deno.test("a body over 1 MiB is 413 by its length and by its chunks, before any credential", async () => {
  await using service = await TestService.start();
  const mebibyte = 1_048_576;
  for (const path of ["/v1/agents", "/v1/chat/stream", "/v1/widget/session"]) {
    const whole = new Uint8Array(mebibyte + 1).fill(0x20);
    await expectRefusal(await sendRawBody(service, { path, body: whole }), "payload_too_large");
    const chunked = chunks(mebibyte + 1);
    await expectRefusal(await sendRawBody(service, { path, body: chunked }), "payload_too_large");
  }
  const key = await service.key();
  const text = JSON.stringify(agentBody());
  const exact = text + " ".repeat(mebibyte - text.length);
  await expectJson(await sendRawBody(service, { key, body: exact }), 201);
});

Deno.test("size comes before credential, credential before scope, scope before body", async () => {
  await using service = await TestService.start();
  const weak = await service.key(["billing:read"]);
  const big = new Uint8Array(1_048_577).fill(0x20);
  await expectRefusal(await sendRawBody(service, { key: "x", body: big }), "payload_too_large");
  await expectRefusal(await sendRawBody(service, { key: "x", body: "{" }), "invalid_api_key");
  await expectRefusal(await sendRawBody(service, { key: weak, body: "{" }), "insufficient_scope");
  const key = await service.key();
  const path = `/v1/agents/${ID}`;
  const patch = (body: string) => sendRawBody(service, { method: "PATCH", path, key, body });
  await expectInvalid(await patch('{"name":""}'), ["name"]);
  await expectRefusal(await patch("{}"), "not_found");
});

Deno.test("a store that fails is 503 without its words; the log has them, redacted", async () => {
  const store = await breakableKv();
  await using service = await TestService.start({ kv: store.kv });
  const key = await service.key();
  store.break(`the disk failed for Bearer ${key}`, ["list"]);
  const answer = await service.fetch("/v1/agents", { key });
  assertEquals(answer.headers.get("retry-after"), "1");
  const requestId = answer.headers.get("x-request-id")!;
  const { message } = await expectRefusal(answer, "service_unavailable");
  assertEquals(/disk|ck_live|Error|\bat\b/.test(message), false);
  const line = service.logged.find((one) => one.includes(requestId))!;
  assertMatch(line, /the disk failed/);
  assertEquals(line.includes(key.slice(-32)), false);
});

Deno.test("a fault of ours is 500 without its text, which is in the log", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv });
  const key = await service.key();
  await kv.set(keys.agent(await service.tenant(), ID), { v: 1, name: 7 });
  const answer = await service.fetch(`/v1/agents/${ID}`, { key });
  const requestId = answer.headers.get("x-request-id")!;
  const { message } = await expectRefusal(answer, "internal_error");
  assertEquals(/record|Error|\bat\b/.test(message), false);
  const line = service.logged.find((one) => one.includes(requestId))!;
  assertMatch(line, /stored record agents is not readable/);
});

Deno.test("no key, token or part of them is in anything logged during a whole flow", async () => {
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
  for (const step of flow) await expectRefusal(await step(), "service_unavailable");
  assertNotEquals(service.logged, []);
  const log = service.logged.join("");
  for (const secret of [key, key.slice(-32), sessionToken, sessionToken.slice(3)]) {
    assertEquals(log.includes(secret), false);
  }
});

Deno.test("an answer that says nothing else about caching is kept by nobody", async () => {
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

/** `bytes` spaces without a length told beforehand. */
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
