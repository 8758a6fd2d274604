import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import type { FrameOf } from "@/lib/wire/frames.ts";
import type { Agent } from "@/lib/wire/agent.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { expectInvalid, expectRefusal } from "./support/expect_answer.ts";
import { fastSystem } from "./support/fast_system.ts";
import { readFrames, type ReceivedFrame, textOf } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { chat, say } from "./support/widget_calls.ts";

const ORIGIN = "https://shop.example.com";
const CHAT = "/v1/chat/stream";
const MINUTE = 60_000;

Deno.test("POST /v1/chat/stream answers an API key with the contract's headers", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent } = await embed(service);
  const answer = await byKey(service, key, { agentId: agent.id });
  assertEquals(answer.status, 200);
  assertEquals(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assertEquals(answer.headers.get("cache-control"), "no-cache, no-transform");
  assertEquals(answer.headers.get("x-accel-buffering"), "no");
  assertEquals(answer.headers.get("content-encoding"), null);
  const frames = await readFrames(answer);
  assertEquals(startOf(frames).runId, answer.headers.get("x-run-id"));
  assertEquals(startOf(frames).requestId, answer.headers.get("x-request-id"));
});

Deno.test("POST /v1/chat/stream sends retry first, then id, event and one data line a frame", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent } = await embed(service);
  const answer = await byKey(service, key, { agentId: agent.id });
  const runId = answer.headers.get("x-run-id");
  const [retry, ...frames] = (await answer.text()).split("\n\n");
  assertEquals(retry, "retry: 1500");
  assertEquals(frames.pop(), "");
  frames.forEach((text, i) => {
    const [id, event, data, ...more] = text.split("\n");
    assertEquals([id, more], [`id: ${runId}.${i + 1}`, []]);
    assert(data!.startsWith("data: {"));
    assertEquals(event, `event: ${JSON.parse(data!.slice(6)).type}`);
  });
});

Deno.test("POST /v1/chat/stream orders frames start, delta, usage, done and quotes the question", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent } = await embed(service);
  const frames = await readFrames(
    await byKey(service, key, { agentId: agent.id, messages: [say("Where is my parcel?")] }),
  );
  assertEquals(order(frames), ["start", "delta", "usage", "done"]);
  const { provider, model } = startOf(frames);
  assertEquals({ provider, model }, { provider: "vendor_a", model: "demo" });
  assertStringIncludes(textOf(frames), "Where is my parcel?");
  const usage = one(frames, "usage");
  assert(usage.inputTokens > 0 && usage.outputTokens > 0);
  assertEquals(usage.costUsd, 0);
  assertEquals(one(frames, "done").finishReason, "stop");
});

Deno.test("POST /v1/chat/stream answers a session on its page like a key", async () => {
  await using service = await TestService.start(fastSystem());
  const { agent, sessionToken } = await embed(service);
  const frames = await readFrames(await onPage(service, { agent, sessionToken }));
  assertEquals(order(frames), ["start", "delta", "usage", "done"]);
  assertStringIncludes(textOf(frames), "Hello");
});

Deno.test("start.requestId is the body's; x-request-id is always ours and never echoes", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent } = await embed(service);
  const mine = "my-request-1";
  const answer = await byKey(service, key, { agentId: agent.id, requestId: mine }, {
    "x-request-id": mine,
  });
  assertEquals(startOf(await readFrames(answer)).requestId, mine);
  assertNotEquals(answer.headers.get("x-request-id"), mine);
});

Deno.test("start.conversationId is the body's, or a new UUID for each call without one", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent } = await embed(service);
  const conversation = async (body: Record<string, unknown>) =>
    startOf(await readFrames(await byKey(service, key, { agentId: agent.id, ...body })))
      .conversationId;
  const conversationId = crypto.randomUUID();
  assertEquals(await conversation({ conversationId }), conversationId);
  assertNotEquals(await conversation({}), await conversation({}));
});

Deno.test("a tool call is told before its result, and the answer after it", async () => {
  await using service = await TestService.start(fastSystem());
  const { key } = await embed(service);
  const agent = await service.agent(key);
  const messages = [say('use nowhere with {"q":"shoes"}')];
  const frames = await readFrames(await byKey(service, key, { agentId: agent.id, messages }));
  assertEquals(order(frames), ["start", "tool_call", "tool_result", "delta", "usage", "done"]);
  assertEquals(one(frames, "tool_call"), {
    type: "tool_call",
    name: "nowhere",
    args: { q: "shoes" },
  });
  const { name, output } = one(frames, "tool_result");
  const { error } = output as { error: { code: string; message: string } };
  assertEquals([name, error.code, typeof error.message], ["nowhere", "tool_unknown", "string"]);
  assertEquals(one(frames, "done").finishReason, "stop");
});

Deno.test("a tool called with what is no JSON object is tool_invalid_arguments, and the run goes on", async () => {
  await using service = await TestService.start(fastSystem());
  const { key } = await embed(service);
  const agent = await service.agent(key, {
    tools: [httpTool()],
    allowedDomains: ["api.example.com"],
  });
  const messages = [say("use lookup with {broken}")];
  const frames = await readFrames(await byKey(service, key, { agentId: agent.id, messages }));
  const { error } = one(frames, "tool_result").output as { error: { code: string } };
  assertEquals(error.code, "tool_invalid_arguments");
  assertEquals(one(frames, "done").finishReason, "stop");
});

Deno.test("maxOutputTokens ends the answer with length, the call's before the agent's", async () => {
  await using service = await TestService.start(fastSystem());
  const { key } = await embed(service);
  const modelPolicy = { provider: "vendor_a", model: "demo", maxOutputTokens: 5 };
  const agent = await service.agent(key, { modelPolicy });
  for (const [body, outputTokens] of [[{}, 5], [{ maxOutputTokens: 3 }, 3]] as const) {
    const frames = await readFrames(await byKey(service, key, { agentId: agent.id, ...body }));
    assertEquals(one(frames, "done").finishReason, "length");
    assertEquals(one(frames, "usage").outputTokens, outputTokens);
  }
});

Deno.test("a visitor gets no more output than the agent's own maxOutputTokens", async () => {
  await using service = await TestService.start(fastSystem());
  const modelPolicy = { provider: "vendor_a", model: "demo", maxOutputTokens: 5 };
  const { agent, sessionToken } = await embed(service, { modelPolicy });
  const body = { maxOutputTokens: 500 };
  const frames = await readFrames(await onPage(service, { agent, sessionToken, body }));
  assertEquals(one(frames, "usage").outputTokens, 5);
});

Deno.test("an agent out of steps ends with error budget_exceeded and done max_steps", async () => {
  await using service = await TestService.start(fastSystem());
  const { key } = await embed(service);
  const budget = { maxCostUsd: 1, maxSteps: 1, wallClockMs: 30_000 };
  const agent = await service.agent(key, { budget });
  const messages = [say("use nowhere with {}")];
  const frames = await readFrames(await byKey(service, key, { agentId: agent.id, messages }));
  assertEquals(order(frames), ["start", "tool_call", "tool_result", "usage", "error", "done"]);
  assertEquals(one(frames, "error").code, "budget_exceeded");
  assertEquals(one(frames, "done").finishReason, "max_steps");
});

Deno.test("overrides name the provider that answers, and must be in the plan", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent } = await embed(service);
  const agentId = agent.id;
  const answer = await byKey(service, key, { agentId, provider: "vendor_c", model: "demo" });
  assertEquals(startOf(await readFrames(answer)).provider, "vendor_c");
  await expectInvalid(await byKey(service, key, { agentId, model: "other" }), ["model"]);
});

Deno.test("POST /v1/chat/stream without a credential is 401 invalid_api_key", async () => {
  await using service = await TestService.start(fastSystem());
  const { agent, sessionToken } = await embed(service);
  const json = { agentId: agent.id, sessionToken, messages: [say("Hello")] };
  const send = (headers: HeadersInit) => service.fetch(CHAT, { method: "POST", json, headers });
  await expectRefusal(await send({}), "invalid_api_key");
  // A key that is sent decides, whatever else comes with it.
  const both = { authorization: "Bearer nonsense", "x-service-session": sessionToken };
  await expectRefusal(await send(both), "invalid_api_key");
});

Deno.test("with an API key a session is optional, but header and body must agree", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent, sessionToken } = await embed(service);
  const send = (body: Record<string, unknown>, headers: HeadersInit = {}) =>
    byKey(service, key, { agentId: agent.id, ...body }, headers);
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

Deno.test("a session needs the body's sessionToken to equal the header, else 400", async () => {
  await using service = await TestService.start(fastSystem());
  const { agent, sessionToken } = await embed(service);
  for (const told of [undefined, "cs_another_token_altogether", `${sessionToken}x`]) {
    const answer = await onPage(service, { agent, sessionToken, body: { sessionToken: told } });
    await expectInvalid(answer, ["sessionToken"]);
  }
});

Deno.test("a session for another agent is 401 session_token_invalid", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, sessionToken } = await embed(service);
  const other = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const answer = await onPage(service, { agent: other, sessionToken });
  await expectRefusal(answer, "session_token_invalid");
});

Deno.test("an unknown, expired or revoked session is 401 session_token_invalid", async () => {
  const time = fastSystem();
  await using service = await TestService.start(time);
  const { key, agent, sessionToken } = await embed(service);
  const unknown = { agent, sessionToken: "cs_nobody_ever_minted_this" };
  await expectRefusal(await onPage(service, unknown), "session_token_invalid");
  const revoked = await service.mint(key, agent.id, ORIGIN);
  await service.service.sessions.revoke(await service.tenant(), revoked);
  const gone = await onPage(service, { agent, sessionToken: revoked });
  await expectRefusal(gone, "session_token_invalid");
  time.advance(15 * MINUTE - 1);
  const last = await onPage(service, { agent, sessionToken });
  assertEquals(last.status, 200, await last.text());
  time.advance(1);
  await expectRefusal(await onPage(service, { agent, sessionToken }), "session_token_invalid");
});

Deno.test("a session on a foreign page is 403 and says session token rejected", async (t) => {
  await using service = await TestService.start(fastSystem());
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
      const { message } = await expectRefusal(answer, "origin_not_allowed");
      assertMatch(message, /^session token rejected/);
    });
  }
});

Deno.test("a session without Origin is accepted from no browser, the same origin or none", async () => {
  await using service = await TestService.start(fastSystem());
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

Deno.test("an origin taken off the agent is refused at once, though its session lives", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent, sessionToken } = await embed(service);
  const json = { allowedOrigins: ["https://second.example.com"] };
  const patched = await service.fetch(`/v1/agents/${agent.id}`, { method: "PATCH", key, json });
  assertEquals(patched.status, 200, await patched.text());
  const { message } = await expectRefusal(
    await onPage(service, { agent, sessionToken }),
    "origin_not_allowed",
  );
  assertMatch(message, /^session token rejected/);
});

Deno.test("a session of a deleted agent is 404", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent, sessionToken } = await embed(service);
  await (await service.fetch(`/v1/agents/${agent.id}`, { method: "DELETE", key })).body?.cancel();
  await expectRefusal(await onPage(service, { agent, sessionToken }), "not_found");
});

Deno.test("the 51st message of a session is 429 until the session expires", async () => {
  const time = fastSystem();
  await using service = await TestService.start(time);
  const { agent, sessionToken } = await embed(service);
  // Far enough apart for every other limit.
  for (let n = 0; n < 50; n++, time.advance(10_000)) {
    const answer = await onPage(service, { agent, sessionToken });
    assertEquals(answer.status, 200, await answer.text());
    // A refusal costs no message.
    if (n === 0) await (await onPage(service, { agent, sessionToken, body: { x: 1 } })).text();
  }
  const answer = await onPage(service, { agent, sessionToken });
  assertEquals(answer.headers.get("retry-after"), String((15 * MINUTE - 50 * 10_000) / 1000));
  const { details, message } = await expectRefusal(answer, "rate_limit_exceeded");
  assertEquals([details?.scope, details?.limit], ["session_messages", 50]);
  assertMatch(message, /mint/);
});

Deno.test("POST /v1/chat/stream refuses each fault of its body with the path", async (t) => {
  await using service = await TestService.start(fastSystem());
  const { agent } = await embed(service);
  const user = say("Hello");
  const faults: [string, Record<string, unknown>, string[]][] = [
    ["no messages field", { messages: undefined }, ["messages"]],
    ["no message", { messages: [] }, ["messages"]],
    ["65 messages", { messages: Array(65).fill(user) }, ["messages"]],
    ["the last not the user's", { messages: [user, answered("Hi")] }, ["messages"]],
    ["an unknown role", { messages: [{ ...user, role: "tool" }] }, ["messages.0.role"]],
    ["a system message", { messages: [{ ...user, role: "system" }, user] }, ["messages.0.role"]],
    ["an empty message", { messages: [say("")] }, ["messages.0.content"]],
    ["32001 characters", { messages: [say("x".repeat(32_001))] }, ["messages.0.content"]],
    ["content in parts", { messages: [{ ...user, content: [] }] }, ["messages.0.content"]],
    ["an unknown field inside", { messages: [{ ...user, id: 1 }] }, ["messages.0.id"]],
    ["no agent", { agentId: undefined }, ["agentId"]],
    ["an agent that is no UUID", { agentId: "mine" }, ["agentId"]],
    ["a conversation that is no UUID", { conversationId: "x" }, ["conversationId"]],
    ["a null conversation", { conversationId: null }, ["conversationId"]],
    ["an unknown vendor", { provider: "vendor_d" }, ["provider"]],
    ["a temperature of 2.1", { temperature: 2.1 }, ["temperature"]],
    ["no output tokens", { maxOutputTokens: 0 }, ["maxOutputTokens"]],
    ["16385 output tokens", { maxOutputTokens: 16_385 }, ["maxOutputTokens"]],
    ["a request id of 7", { requestId: "x".repeat(7) }, ["requestId"]],
    ["a request id of 129", { requestId: "x".repeat(129) }, ["requestId"]],
    ["an origin in JSON", { origin: ORIGIN }, ["origin"]],
    ["stream: false", { stream: false }, ["stream"]],
  ];
  for (const [fault, change, paths] of faults) {
    await t.step(fault, async () => {
      const key = await service.key();
      await expectInvalid(await byKey(service, key, { agentId: agent.id, ...change }), paths);
    });
  }
});

Deno.test("POST /v1/chat/stream accepts 64 messages and 32000 characters", async () => {
  await using service = await TestService.start(fastSystem());
  const { key, agent } = await embed(service);
  const turns = Array.from({ length: 63 }, (_, n) => n % 2 === 0 ? say("Hi") : answered("Hello"));
  const messages = [...turns, say("x".repeat(32_000))];
  const frames = await readFrames(await byKey(service, key, { agentId: agent.id, messages }));
  assertEquals(one(frames, "done").finishReason, "stop");
});

interface Embed {
  key: string;
  agent: Agent;
  sessionToken: string;
}

/** A key, an agent that `ORIGIN` may embed, and a session for that page. */
async function embed(service: TestService, change: Record<string, unknown> = {}): Promise<Embed> {
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN], ...change });
  return { key, agent, sessionToken: await service.mint(key, agent.id, ORIGIN) };
}

function byKey(
  service: TestService,
  key: string,
  body: Record<string, unknown>,
  headers: HeadersInit = {},
): Promise<Response> {
  const json = { messages: [say("Hello")], ...body };
  return service.fetch(CHAT, { method: "POST", key, json, headers });
}

function onPage(
  service: TestService,
  call: { agent: Agent; sessionToken: string; body?: Record<string, unknown> },
): Promise<Response> {
  return chat(service, call.agent, { ...call, headers: { origin: ORIGIN } });
}

function answered(content: string) {
  return { role: "assistant", content };
}

/** The types of the frames in order, a row of deltas as one. */
function order(frames: readonly ReceivedFrame[]): string[] {
  const types = frames.map(({ frame }) => frame.type);
  return types.filter((type, i) => type !== "delta" || types[i - 1] !== "delta");
}

/** The only frame of a type. */
function one<T extends ReceivedFrame["frame"]["type"]>(
  frames: readonly ReceivedFrame[],
  type: T,
): FrameOf<T> {
  const found = frames.filter(({ frame }) => frame.type === type);
  assertEquals(found.length, 1, `frames of type ${type}`);
  return found[0]!.frame as FrameOf<T>;
}

function startOf(frames: readonly ReceivedFrame[]): FrameOf<"start"> {
  assertEquals(frames[0]?.frame.type, "start");
  return one(frames, "start");
}
