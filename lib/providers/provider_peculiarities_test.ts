/** What single protocols, and servers that claim to speak them, do in their own way. */
import { assert, assertEquals } from "@std/assert";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import {
  onlyEvent,
  PROTOCOLS,
  ProviderConnections,
  user,
} from "@/tests/support/provider_connections.ts";

Deno.test("google: a model's name cannot lead to another path", async () => {
  await using vendors = await ProviderConnections.start();
  await vendors.ask("google", {}, { model: "tunedModels/a b?c" });
  const { path } = vendors.mock.requests[0]!;
  assertEquals(path, "/some/prefix/v1/tunedModels/a%20b%3Fc:streamGenerateContent?alt=sse");
  for (const model of ["../../x", "a//b", "models/.."]) {
    const { error } = await vendors.ask("google", [], { model });
    assertEquals(error.code, "provider_error");
  }
  assertEquals(vendors.mock.requests.length, 1);
});

Deno.test("openai: a tool without parameters still has properties", async () => {
  await using vendors = await ProviderConnections.start();
  const bare = { name: "look_up", description: "Looks up.", parameters: { type: "object" } };
  await vendors.ask("openai", {}, { tools: [bare] });
  const { parameters } = vendors.mock.requests[0]!.body.tools[0].function;
  assertEquals(parameters, { type: "object", properties: {} });
});

const wants = (field: string): Script => ({
  status: 400,
  body: JSON.stringify({ error: { message: `Unsupported. Use '${field}' instead.`, param: "x" } }),
});

Deno.test("openai: a server that demands the newer limit field gets it from then on", async () => {
  await using vendors = await ProviderConnections.start();
  const first = await vendors.ask("openai", [wants("max_completion_tokens"), {}]);
  assertEquals([first.text, vendors.pauses, vendors.reports], ["Hello there.", [], []]);
  await vendors.ask("openai");
  await vendors.ask("openai", {}, { model: "another" });
  assertEquals(limits(vendors), [
    "max_tokens",
    "max_completion_tokens",
    "max_completion_tokens",
    "max_tokens",
  ]);
});

Deno.test("openai: a server that rejects the usage field does not get it again", async () => {
  await using vendors = await ProviderConnections.start();
  const refusal = { status: 422, body: `{"detail":[{"loc":["body","stream_options"]}]}` };
  const { events } = await vendors.ask("openai", [refusal, {}]);
  assertEquals(onlyEvent(events, "usage").outputTokens, 15);
  await vendors.ask("openai");
  const asked = vendors.mock.requests.map(({ body }) => body.stream_options !== undefined);
  assertEquals(asked, [true, false, false]);
});

Deno.test("openai: a change that does not help is not remembered", async () => {
  await using vendors = await ProviderConnections.start();
  const misleading = wants("max_completion_tokens");
  const { error } = await vendors.ask("openai", [misleading, misleading]);
  assertEquals(error.code, "provider_error");
  await vendors.ask("openai");
  assertEquals(limits(vendors), [
    "max_tokens",
    "max_completion_tokens",
    "max_tokens",
  ]);
});

Deno.test("openai: a prompt blocked by a filter is an answer, not a failure", async () => {
  await using vendors = await ProviderConnections.start();
  const body = JSON.stringify({ error: { message: "Filtered.", code: "content_filter" } });
  const { events, error } = await vendors.ask("openai", { status: 400, body });
  assertEquals([error, vendors.reports], [undefined, []]);
  assertEquals(events, [
    { type: "usage", inputTokens: 0, outputTokens: 0 },
    { type: "end", reason: "content_filter" },
  ]);
  const quoted = JSON.stringify({ error: { message: `you sent "code": "content_filter"` } });
  assertEquals((await vendors.ask("openai", { status: 400, body: quoted })).accepted, false);
});

Deno.test("google: a blocked prompt is an answer, not a failure", async () => {
  await using vendors = await ProviderConnections.start();
  const feedback = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } };
  const usageMetadata = { promptTokenCount: 4, totalTokenCount: 4 };
  const body = `data: ${JSON.stringify({ ...feedback, usageMetadata })}\r\n\r\n`;
  const { events, error } = await vendors.ask("google", { body });
  assertEquals([error, onlyEvent(events, "end").reason], [undefined, "content_filter"]);
  assertEquals(onlyEvent(events, "usage").inputTokens, 4);
});

Deno.test("openai: calls with the same index are separated by id", async () => {
  await using vendors = await ProviderConnections.start();
  const piece = (id: string, args: unknown) => ({
    choices: [{
      index: 0,
      delta: { tool_calls: [{ index: 0, id, function: { name: "f", arguments: args } }] },
    }],
  });
  const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const chunks = [piece("a", '{"n":'), piece("a", "1}"), piece("b", { n: 2 }), last];
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  const { events } = await vendors.ask("openai", { body });
  const calls = events.flatMap((event) => event.type === "tool_call" ? [event.call] : []);
  assertEquals(calls, [
    { id: "a", name: "f", args: '{"n":1}' },
    { id: "b", name: "f", args: '{"n":2}' },
  ]);
  assertEquals(onlyEvent(events, "end").reason, "tool_calls");
});

Deno.test("openai: new ids in each delta belong to one call", async () => {
  await using vendors = await ProviderConnections.start();
  const piece = (id: string, name: string | null, text: string) => ({
    choices: [{
      index: 0,
      delta: { tool_calls: [{ index: 0, id, function: { name, arguments: text } }] },
    }],
  });
  const last = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  const chunks = [piece("a", "f", ""), piece("b", null, '{"n":'), piece("c", "", "1}"), last];
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  const { events } = await vendors.ask("openai", { body });
  assertEquals(onlyEvent(events, "tool_call").call, { id: "a", name: "f", args: '{"n":1}' });
});

for (
  const later of [
    { input_tokens: 0 },
    { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    { input_tokens: 500, cache_read_input_tokens: null },
    { input_tokens: null, cache_read_input_tokens: "1000" },
    { input_tokens: -1 },
    { input_tokens: 500 },
    {},
  ]
) {
  Deno.test(`anthropic: reported input stays after ${JSON.stringify(later)}`, async () => {
    await using vendors = await ProviderConnections.start();
    const usage = {
      input_tokens: 500,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 70,
      output_tokens: 1,
    };
    const events = await usageOf(vendors, usage, { ...later, output_tokens: 9 });
    assertEquals(events, {
      type: "usage",
      inputTokens: 1570,
      outputTokens: 9,
      cachedInputTokens: 1000,
      cacheWriteTokens: 70,
    });
  });
}

Deno.test("anthropic: input reported only at the end is charged", async () => {
  await using vendors = await ProviderConnections.start();
  const later = { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 9 };
  const { inputTokens } = await usageOf(vendors, { input_tokens: 0, output_tokens: 0 }, later);
  assertEquals(inputTokens, 100);
});

/** The usage of a message with these counts at its start and end. */
async function usageOf(vendors: ProviderConnections, first: unknown, later: unknown) {
  const events = [
    { type: "message_start", message: { usage: first } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: later },
    { type: "message_stop" },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return onlyEvent((await vendors.ask("anthropic", { body })).events, "usage");
}

Deno.test("openai: reasoning missing in the completion count is charged by the total", async () => {
  await using vendors = await ProviderConnections.start();
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 };
  const choice = { index: 0, delta: { content: "Hi" }, finish_reason: "stop" };
  const body = `data: ${JSON.stringify({ choices: [choice], usage })}\n\ndata: [DONE]\n\n`;
  const { events } = await vendors.ask("openai", { body });
  assertEquals(onlyEvent(events, "usage").outputTokens, 30);
});

Deno.test("an API key with invalid header characters is a clear error", async () => {
  await using vendors = await ProviderConnections.start({ apiKey: "schlüssel\n€" });
  const { error } = await vendors.ask("openai", []);
  assertEquals(error.code, "provider_error");
  assert(!JSON.stringify([error.message, vendors.reports]).includes("schl"));
});

function limits(vendors: ProviderConnections): string[] {
  const fields = ["max_tokens", "max_completion_tokens"];
  return vendors.mock.requests.map(({ body }) => fields.find((field) => field in body) ?? "");
}

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: a lone surrogate is sent as the replacement character`, async () => {
    await using vendors = await ProviderConnections.start();
    const text = "cut \ud83d off, C:\\udp, whole \u{1f600}";
    await vendors.ask(protocol, {}, { messages: [user(text)] });
    const sent = JSON.stringify(vendors.mock.requests[0]!.body);
    assert(sent.includes(JSON.stringify(text.toWellFormed()).slice(1, -1)), sent);
  });

  Deno.test(`${protocol}: a response with endless calls fails`, async () => {
    await using vendors = await ProviderConnections.start();
    const one = { name: "look_up", args: ["{}"] };
    const calls = Array.from({ length: 300 }, (_, n) => ({ ...one, id: `c${n}` }));
    const { error, events } = await vendors.ask(protocol, { say: [{ calls }], end: "calls" });
    assertEquals(error.code, "provider_error");
    assertEquals(events.filter(({ type }) => type === "tool_call"), []);
  });
}
