/** The official OpenAI client for Node talks to agents: POST /v1/openai/** over real HTTP. */
import OpenAI, { APIError } from "openai";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService, type ProviderServiceOptions } from "./support/provider_service.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { SseText } from "./support/sse_text.ts";
import { ORIGIN } from "./support/widget_calls.ts";

const HELLO: Script = { say: [{ text: "Hello " }, { text: "world." }] };
const ASK = [{ role: "user", content: "Hi" }] as const;

/** A service whose provider answers with `scripts`, then with "Hello world.", and a client of it. */
async function open(scripts: readonly Script[] = [], options: ProviderServiceOptions = {}) {
  const left = [...scripts];
  const mock = await MockProviders.start({ otherwise: () => left.shift() ?? HELLO });
  const on = await ProviderService.start(mock, options);
  const agent = await on.agent("vendor_a");
  const baseURL = `${on.service.url}/v1/openai`;
  const of = (apiKey: string, more = {}) => new OpenAI({ apiKey, baseURL, maxRetries: 0, ...more });
  return {
    ...{ on, mock, agent, of, client: of(on.key) },
    ask: { model: agent.id, messages: [...ASK] },
    async [Symbol.asyncDispose]() {
      await on[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}

async function rejection(call: Promise<unknown>): Promise<APIError> {
  return await assertRejects(() => call, APIError);
}

Deno.test("openai: the agents are its models", async () => {
  await using fixture = await open();
  const { client, agent } = fixture;
  const listed = await Array.fromAsync(await client.models.list());
  assertEquals(listed.map(({ id }) => id), [agent.id]);
  const model = await client.models.retrieve(agent.id);
  assertEquals([model.object, model.owned_by], ["model", "agent-chat"]);
  assertEquals(await client.models.retrieve(`agent:${agent.id}`), model);
  assertEquals((await rejection(client.models.retrieve("gpt-4o"))).code, "model_not_found");
});

Deno.test("openai: a completion in one object has text, usage, cost and the run's id", async () => {
  await using fixture = await open();
  const { client, ask, on } = fixture;
  const { data, response } = await client.chat.completions.create(ask).withResponse();
  const [choice] = data.choices;
  assertEquals([choice?.message.content, choice?.finish_reason], ["Hello world.", "stop"]);
  assertEquals(data.model, ask.model);
  const [run] = await on.records();
  assertEquals(response.headers.get("x-run-id"), run?.runId);
  assertEquals(data.id, `chatcmpl-${run?.runId}`);
  const { cost_usd: cost, ...usage } = data.usage as unknown as Record<string, number>;
  assertEquals(usage, { prompt_tokens: 25, completion_tokens: 15, total_tokens: 40 });
  assertEquals(Math.round(cost! * 1e6), run?.cost);
  assert(Math.abs(data.created - Date.now() / 1_000) < 600);
});

Deno.test("openai: a stream, its helper, and usage only if it is asked for", async () => {
  await using fixture = await open();
  const { client, ask } = fixture;
  const chunks = await Array.fromAsync(
    await client.chat.completions.create({ ...ask, stream: true }),
  );
  assertEquals(
    chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""),
    "Hello world.",
  );
  assertEquals(chunks.filter(({ usage }) => usage !== undefined), []);
  assertEquals(new Set(chunks.map(({ id }) => id)).size, 1);
  const counted = await Array.fromAsync(
    await client.chat.completions.create({
      ...{ ...ask, stream: true, stream_options: { include_usage: true } },
    }),
  );
  assertEquals(counted.at(-1)?.usage?.total_tokens, 40);
  const helper = client.chat.completions.stream(ask);
  assertEquals(await helper.finalContent(), "Hello world.");
  assertEquals((await helper.finalChatCompletion()).choices[0]?.finish_reason, "stop");
});

Deno.test("openai: the agent runs its own tools, and the caller sees only the answer", async () => {
  const call = { calls: [{ id: "c1", name: "lookup", args: ['{"q":"x"}'] }] };
  await using fixture = await open([{ say: [call], end: "calls" }]);
  const { client, on } = fixture;
  const agent = await on.agent("vendor_a", {
    tools: [httpTool()],
    allowedDomains: ["api.example.com"],
  });
  const done = await client.chat.completions.create({ model: agent.id, messages: [...ASK] });
  assertEquals([done.choices[0]?.message.content, done.choices[0]?.message.tool_calls], [
    ...["Hello world.", undefined],
  ]);
  const asked = await client.responses.create({ model: agent.id, input: "Hi" });
  assertEquals(asked.output.map(({ type }) => type), ["message"]);
});

Deno.test("openai: the caller's system prompt is passed on and does not replace the agent's", async () => {
  await using fixture = await open();
  const { client, agent, mock } = fixture;
  await client.chat.completions.create({
    model: agent.id,
    messages: [
      { role: "system", content: "Answer in German." },
      { role: "user", content: [{ type: "text", text: "Hi" }, { type: "text", text: " there" }] },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "tool", tool_call_id: "x", content: "{}" },
    ].slice(0, 2) as never,
  });
  assertEquals(mock.requests[0]!.body.messages, [
    { role: "system", content: "Be helpful." },
    {
      role: "user",
      content: "[Notes of the application]\nAnswer in German.\n[Message of the user]\nHi there",
    },
  ]);
});

Deno.test("openai: a long history keeps its newest messages, and what has no words is skipped", async () => {
  await using fixture = await open();
  const { client, agent, mock } = fixture;
  const turns = Array.from({ length: 100 }, (_, n) => [
    { role: "user", content: `question ${n}` },
    { role: "assistant", content: null, tool_calls: [TOOL_CALL] },
    { role: "tool", tool_call_id: "c", content: "secret result" },
    { role: "assistant", content: `answer ${n}` },
  ]).flat();
  const messages = [...turns, ...ASK] as never;
  await client.chat.completions.create({ model: agent.id, messages, max_tokens: 100_000 });
  const sent = mock.requests[0]!.body.messages as { role: string; content: string }[];
  assertEquals(sent.length, 64);
  assertEquals(sent.at(-1)?.content, "Hi");
  assertEquals(sent[1]?.role, "user");
  assert(!JSON.stringify(sent).includes("secret result"));
});

const TOOL_CALL = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };

Deno.test("openai: errors have its envelope, and nothing is stored for a bad body", async () => {
  await using fixture = await open();
  const { client, ask, of, on, agent } = fixture;
  const { completions } = client.chat;
  const facts = ({ status, code, param, type }: APIError) => [status, code, param, type];
  const invalid = "invalid_request_error";
  assertEquals(facts(await rejection(of("ck_live_nobody").chat.completions.create(ask))), [
    ...[401, "invalid_api_key", null, "authentication_error"],
  ]);
  for (const model of ["gpt-4o", crypto.randomUUID()]) {
    assertEquals(facts(await rejection(completions.create({ ...ask, model }))), [
      ...[404, "model_not_found", "model", invalid],
    ]);
  }
  const bad: [object, string][] = [
    [{ n: 2 }, "n"],
    [{ tools: [{ type: "function", function: { name: "f" } }] }, "tools"],
    [{ response_format: { type: "json_object" } }, "response_format.type"],
    [{ logprobs: true }, "logprobs"],
    [{ presence_penalty: 1 }, "presence_penalty"],
    [{ stop: ["\n"] }, "stop"],
    [{ top_p: 0.5 }, "top_p"],
    [{ tempreature: 1 }, "tempreature"],
    [{ temperature: 3 }, "temperature"],
    [{ messages: [] }, "messages"],
    [
      { messages: [{ role: "user", content: "Hi" }, { role: "assistant", content: "x" }] },
      "messages",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
      "messages.0.content",
    ],
  ];
  for (const [change, param] of bad) {
    const error = await rejection(completions.create({ ...ask, ...change } as never));
    assertEquals([error.status, error.code, error.type], [
      400,
      "schema_validation_failed",
      invalid,
    ]);
    assert(`${error.param}`.startsWith(param), `${error.param} instead of ${param}`);
  }
  const readOnly = await on.service.key(["agents:read"]);
  assertEquals(facts(await rejection(of(readOnly).chat.completions.create(ask))), [
    ...[403, "insufficient_scope", null, "permission_error"],
  ]);
  assertEquals(await on.records(), []);
  const conversations = await on.service.fetch("/v1/conversations", {
    key: await on.service.key(["conversations:read"]),
  });
  assertEquals((await conversations.json()).data, []);
  // A session is no credential here.
  const widget = await on.agent("vendor_a", { allowedOrigins: [ORIGIN] });
  const token = await on.service.mint(on.key, widget.id, ORIGIN);
  for (const path of ["chat/completions", "responses"]) {
    const answer = await on.service.fetch(`/v1/openai/${path}`, {
      method: "POST",
      json: { model: agent.id, messages: ASK, input: "Hi" },
      headers: { "x-service-session": token, origin: ORIGIN },
    });
    assertEquals([answer.status, (await answer.json()).error.code], [401, "invalid_api_key"]);
    assertEquals(answer.headers.get("access-control-allow-origin"), null);
  }
});

Deno.test("openai: limits are 429 in its envelope, with the time to wait", async () => {
  await using fixture = await open([], {
    limits: { ipMessages: 1, ipRequests: 100, keyRequests: 100 },
  });
  const { client, ask } = fixture;
  await client.chat.completions.create(ask);
  const error = await rejection(client.chat.completions.create(ask));
  assertEquals([error.status, error.code, error.type], [
    ...[429, "rate_limit_exceeded", "rate_limit_error"],
  ]);
  assert(Number(error.headers?.get("retry-after")) > 0);
});

Deno.test("openai: a provider's failure is an error of the call or of the stream, and not repeated by itself", async () => {
  const broken: Script = { say: [{ text: "Half" }, { error: "overloaded" }], end: "none" };
  await using fixture = await open([broken, broken]);
  const { ask, of, on, mock } = fixture;
  const client = of(on.key, { maxRetries: 2 });
  const error = await rejection(client.chat.completions.create(ask));
  assertEquals([error.code, error.type], ["provider_error", "server_error"]);
  assertEquals(mock.requests.length, 1);
  let text = "";
  const failure = await rejection((async () => {
    for await (const chunk of await client.chat.completions.create({ ...ask, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? "";
    }
  })());
  assertEquals([text, failure.code], ["Half", "provider_error"]);
  assertEquals(mock.requests.length, 2);
});

Deno.test("openai: a repeated call with the same Idempotency-Key is the same run", async () => {
  await using fixture = await open();
  const { client, ask, on } = fixture;
  const headers = { "idempotency-key": "order-1042" };
  const [first, second] = [
    await client.chat.completions.create(ask, { headers }),
    await client.chat.completions.create(ask, { headers }),
  ];
  assertEquals(second, first);
  assertEquals((await on.records()).length, 1);
});

Deno.test("openai: a client that leaves cancels the run, streamed or not", async () => {
  const stalled: Script = { say: [{ text: "Half" }, { wait: new Promise(() => {}) }], end: "none" };
  await using fixture = await open([stalled, stalled, stalled]);
  const { client, ask, mock, on } = fixture;
  const stop = new AbortController();
  const stream = await client.chat.completions.create({ ...ask, stream: true }, {
    signal: stop.signal,
  });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stop.abort();
  await (await mock.asked(1)).gone;
  for (const path of ["chat/completions", "responses"]) {
    const leave = new AbortController();
    const json = path === "responses" ? { model: ask.model, input: "Hi" } : ask;
    const left = assertRejects(() =>
      on.service.fetch(`/v1/openai/${path}`, {
        ...{ method: "POST", key: on.key, json, signal: leave.signal },
      })
    );
    const asked = await mock.asked(mock.requests.length + 1);
    leave.abort();
    await left;
    await asked.gone;
  }
  await on.service.service.chat.stopAll();
  assertEquals((await on.records()).map(({ finishReason }) => finishReason), [
    ...["cancelled", "cancelled", "cancelled"],
  ]);
});

Deno.test("openai: Responses streams its events, and continues a stored conversation", async () => {
  await using fixture = await open();
  const { client, agent, mock } = fixture;
  const first = await client.responses.create({
    ...{ model: agent.id, input: "Hi", instructions: "Be brief.", metadata: { order: "1042" } },
  });
  assertMatch(first.id, /^resp_[0-9a-f-]{36}$/);
  assertEquals([first.status, first.output_text, first.metadata], [
    ...["completed", "Hello world.", { order: "1042" }],
  ]);
  assertEquals(first.usage?.total_tokens, 40);
  const stream = client.responses.stream({
    ...{ model: agent.id, previous_response_id: first.id },
    input: [{ role: "user", content: [{ type: "input_text", text: "And then?" }] }],
  });
  const events = await Array.fromAsync(stream);
  assertEquals(events.map(({ sequence_number: n }) => n), events.map((_, n) => n));
  assertEquals(events.at(-1)?.type, "response.completed");
  assertEquals((await stream.finalResponse()).output_text, "Hello world.");
  assertEquals(mock.requests[1]!.body.messages.slice(1), [
    { role: "user", content: mock.requests[0]!.body.messages[1].content },
    { role: "assistant", content: "Hello world." },
    { role: "user", content: "And then?" },
  ]);
  for (const previous_response_id of ["resp_x", `resp_${crypto.randomUUID()}`]) {
    const input = { model: agent.id, input: "Hi", previous_response_id };
    const error = await rejection(client.responses.create(input));
    assertEquals([error.status, error.code], [400, "previous_response_not_found"]);
  }
});

Deno.test("openai: conversation, usage and export show the format that asked", async () => {
  await using fixture = await open();
  const { client, ask, on, agent } = fixture;
  await client.chat.completions.create(ask);
  await client.responses.create({ model: agent.id, input: "Hi" });
  await (await on.send(agent)).body?.cancel();
  await on.service.service.chat.stopAll();
  const key = await on.service.key(["conversations:read", "billing:read"]);
  const { data } = await (await on.service.fetch("/v1/conversations", { key })).json();
  const protocols = await Promise.all(data.map(async ({ id }: { id: string }) => {
    const { runs } = await (await on.service.fetch(`/v1/conversations/${id}`, { key })).json();
    return runs[0].protocol;
  }));
  assertEquals(new Set(protocols), new Set(["openai-chat", "openai-responses", undefined]));
  const usage = await (await on.service.fetch("/v1/usage", { key })).json();
  assertEquals(
    usage.byProtocol.map(({ protocol, runs }: Record<string, unknown>) => [protocol, runs]).sort(),
    [["native", 1], ["openai-chat", 1], ["openai-responses", 1]],
  );
  assertEquals(usage.runs, 3);
});

Deno.test("openai: the stream has no id or retry lines, on which the Python client fails", async () => {
  await using fixture = await open();
  const { on, ask } = fixture;
  for (const path of ["chat/completions", "responses"]) {
    const json = { ...ask, input: "Hi", stream: true, messages: undefined };
    const body = path === "responses" ? json : { ...ask, stream: true };
    await using stream = new SseText(
      await on.service.fetch(`/v1/openai/${path}`, { method: "POST", key: on.key, json: body }),
    );
    await stream.until("data: [DONE]\n\n");
    assertEquals(stream.text.match(/^(id|retry):/m), null);
  }
});
