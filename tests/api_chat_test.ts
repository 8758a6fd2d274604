import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { frameTypes, onlyFrame, startFrame } from "./support/frame_types.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { answered, byKey, embed, onPage, ORIGIN, say } from "./support/widget_calls.ts";

Deno.test("POST /v1/chat/stream answers an API key with the contract's headers", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const answer = await byKey(service, { key, body: { agentId: agent.id } });
  assertEquals(answer.status, 200);
  assertEquals(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assertEquals(answer.headers.get("cache-control"), "no-cache, no-transform");
  assertEquals(answer.headers.get("x-accel-buffering"), "no");
  assertEquals(answer.headers.get("content-encoding"), null);
  const frames = await readFrames(answer);
  assertEquals(startFrame(frames).runId, answer.headers.get("x-run-id"));
  assertEquals(startFrame(frames).requestId, answer.headers.get("x-request-id"));
});

Deno.test("POST /v1/chat/stream sends retry first, then id, event and one data line per frame", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const answer = await byKey(service, { key, body: { agentId: agent.id } });
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
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const frames = await readFrames(
    await byKey(service, {
      key,
      body: { agentId: agent.id, messages: [say("Where is my parcel?")] },
    }),
  );
  assertEquals(frameTypes(frames), ["start", "delta", "usage", "done"]);
  const { provider, model } = startFrame(frames);
  assertEquals({ provider, model }, { provider: "vendor_a", model: "demo" });
  assertStringIncludes(textOf(frames), "Where is my parcel?");
  const usage = onlyFrame(frames, "usage");
  assert(usage.inputTokens > 0 && usage.outputTokens > 0);
  assertEquals(usage.costUsd, 0);
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
});

Deno.test("POST /v1/chat/stream answers a session from its origin like an API key", async () => {
  await using service = await TestService.start(instantRuntime());
  const { agent, sessionToken } = await embed(service);
  const frames = await readFrames(await onPage(service, { agent, sessionToken }));
  assertEquals(frameTypes(frames), ["start", "delta", "usage", "done"]);
  assertStringIncludes(textOf(frames), "Hello");
});

Deno.test("POST /v1/chat/stream: start.requestId is the body's; x-request-id is always generated", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const mine = "my-request-1";
  const answer = await byKey(service, {
    key,
    body: { agentId: agent.id, requestId: mine },
    headers: {
      "x-request-id": mine,
    },
  });
  assertEquals(startFrame(await readFrames(answer)).requestId, mine);
  assertNotEquals(answer.headers.get("x-request-id"), mine);
});

Deno.test("POST /v1/chat/stream: start.conversationId is the body's, or a new UUID for each call without one", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const conversation = async (body: Record<string, unknown>) =>
    startFrame(
      await readFrames(await byKey(service, { key, body: { agentId: agent.id, ...body } })),
    )
      .conversationId;
  const conversationId = crypto.randomUUID();
  assertEquals(await conversation({ conversationId }), conversationId);
  assertNotEquals(await conversation({}), await conversation({}));
});

Deno.test("POST /v1/chat/stream sends a tool call before its result, and the answer after it", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key } = await embed(service);
  const agent = await service.agent(key);
  const messages = [say('use nowhere with {"q":"shoes"}')];
  const frames = await readFrames(
    await byKey(service, { key, body: { agentId: agent.id, messages } }),
  );
  assertEquals(frameTypes(frames), ["start", "tool_call", "tool_result", "delta", "usage", "done"]);
  assertEquals(onlyFrame(frames, "tool_call"), {
    type: "tool_call",
    name: "nowhere",
    args: { q: "shoes" },
  });
  const { name, output } = onlyFrame(frames, "tool_result");
  const { error } = output as { error: { code: string; message: string } };
  assertEquals([name, error.code, typeof error.message], ["nowhere", "tool_unknown", "string"]);
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
});

Deno.test("POST /v1/chat/stream: tool arguments that are not a JSON object are tool_invalid_arguments, and the run continues", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key } = await embed(service);
  const agent = await service.agent(key, {
    tools: [httpTool()],
    allowedDomains: ["api.example.com"],
  });
  const messages = [say("use lookup with {broken}")];
  const frames = await readFrames(
    await byKey(service, { key, body: { agentId: agent.id, messages } }),
  );
  const { error } = onlyFrame(frames, "tool_result").output as { error: { code: string } };
  assertEquals(error.code, "tool_invalid_arguments");
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
});

Deno.test("POST /v1/chat/stream: maxOutputTokens ends the answer with length, and the request overrides the agent", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key } = await embed(service);
  const modelPolicy = { provider: "vendor_a", model: "demo", maxOutputTokens: 5 };
  const agent = await service.agent(key, { modelPolicy });
  for (const [body, outputTokens] of [[{}, 5], [{ maxOutputTokens: 3 }, 3]] as const) {
    const frames = await readFrames(
      await byKey(service, { key, body: { agentId: agent.id, ...body } }),
    );
    assertEquals(onlyFrame(frames, "done").finishReason, "length");
    assertEquals(onlyFrame(frames, "usage").outputTokens, outputTokens);
  }
});

Deno.test("POST /v1/chat/stream: a visitor cannot exceed the agent's maxOutputTokens", async () => {
  await using service = await TestService.start(instantRuntime());
  const modelPolicy = { provider: "vendor_a", model: "demo", maxOutputTokens: 5 };
  const { agent, sessionToken } = await embed(service, { modelPolicy });
  const body = { maxOutputTokens: 500 };
  const frames = await readFrames(await onPage(service, { agent, sessionToken, body }));
  assertEquals(onlyFrame(frames, "usage").outputTokens, 5);
});

Deno.test("POST /v1/chat/stream: an agent out of steps ends with error budget_exceeded and done max_steps", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key } = await embed(service);
  const budget = { maxCostUsd: 1, maxSteps: 1, wallClockMs: 30_000 };
  const agent = await service.agent(key, { budget });
  const messages = [say("use nowhere with {}")];
  const frames = await readFrames(
    await byKey(service, { key, body: { agentId: agent.id, messages } }),
  );
  assertEquals(frameTypes(frames), ["start", "tool_call", "tool_result", "usage", "error", "done"]);
  assertEquals(onlyFrame(frames, "error").code, "budget_exceeded");
  assertEquals(onlyFrame(frames, "done").finishReason, "max_steps");
});

Deno.test("POST /v1/chat/stream: overrides select the provider and must be in the plan", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const agentId = agent.id;
  const answer = await byKey(service, {
    key,
    body: { agentId, provider: "vendor_c", model: "demo" },
  });
  assertEquals(startFrame(await readFrames(answer)).provider, "vendor_c");
  await expectInvalid(await byKey(service, { key, body: { agentId, model: "other" } }), ["model"]);
});

Deno.test("POST /v1/chat/stream rejects each invalid field with its path", async (t) => {
  await using service = await TestService.start(instantRuntime());
  const { agent } = await embed(service);
  const user = say("Hello");
  const invalidBodies: [string, Record<string, unknown>, string[]][] = [
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
    ["an agent that is not a UUID", { agentId: "mine" }, ["agentId"]],
    ["a conversation that is not a UUID", { conversationId: "x" }, ["conversationId"]],
    ["a null conversation", { conversationId: null }, ["conversationId"]],
    ["an unknown provider", { provider: "vendor_d" }, ["provider"]],
    ["a temperature of 2.1", { temperature: 2.1 }, ["temperature"]],
    ["no output tokens", { maxOutputTokens: 0 }, ["maxOutputTokens"]],
    ["16385 output tokens", { maxOutputTokens: 16_385 }, ["maxOutputTokens"]],
    ["a request id of 7", { requestId: "x".repeat(7) }, ["requestId"]],
    ["a request id of 129", { requestId: "x".repeat(129) }, ["requestId"]],
    ["an origin in JSON", { origin: ORIGIN }, ["origin"]],
    ["stream: false", { stream: false }, ["stream"]],
  ];
  for (const [label, change, paths] of invalidBodies) {
    await t.step(label, async () => {
      const key = await service.key();
      await expectInvalid(
        await byKey(service, { key, body: { agentId: agent.id, ...change } }),
        paths,
      );
    });
  }
});

Deno.test("POST /v1/chat/stream accepts 64 messages and 32000 characters", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const turns = Array.from({ length: 63 }, (_, n) => n % 2 === 0 ? say("Hi") : answered("Hello"));
  const messages = [...turns, say("x".repeat(32_000))];
  const frames = await readFrames(
    await byKey(service, { key, body: { agentId: agent.id, messages } }),
  );
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
});
