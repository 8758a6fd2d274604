/** What a model thought before its calls, and what goes back of it, over real sockets. */
import { assert, assertEquals } from "@std/assert";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import {
  type Answer,
  onlyEvent,
  ProviderConnections,
  user,
} from "@/tests/support/provider_connections.ts";
import type { AssistantMessage, ModelMessage } from "./model.ts";

/** The turn of an answer that called, as the loop keeps it. */
function turnOf({ events, text: content }: Answer): AssistantMessage {
  const toolCalls = events.flatMap((event) => event.type === "tool_call" ? [event.call] : []);
  const { providerMetadata } = onlyEvent(events, "end");
  return {
    role: "assistant",
    content,
    toolCalls,
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
  };
}

/** A conversation with results for the calls of its last step. */
function answered(turn: AssistantMessage): ModelMessage[] {
  const results = (turn.toolCalls ?? []).map(({ id, name }): ModelMessage => (
    { role: "tool", callId: id, name, output: 1 }
  ));
  return [user("Hi"), turn, ...results];
}

const sse = (events: unknown[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** A whole message of these blocks; each is its beginning, then its pieces. */
function message(...blocks: [block: unknown, ...deltas: unknown[]][]): Script {
  const body = blocks.flatMap(([content_block, ...deltas], index) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return {
    body: sse([
      { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      ...body,
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ]),
  };
}

const thinking = (...pieces: string[]): [unknown, ...unknown[]] => [
  { type: "thinking", thinking: "", signature: "" },
  ...pieces.map((piece) => ({ type: "thinking_delta", thinking: piece })),
  { type: "signature_delta", signature: `signs ${pieces.join("")}` },
];
const thought = (thinking: string) => ({
  type: "thinking",
  thinking,
  signature: `signs ${thinking}`,
});
const words = (text: string): [unknown, ...unknown[]] => [
  { type: "text", text: "" },
  { type: "text_delta", text },
];
const use = (id: string) => ({ type: "tool_use", id, name: "look_up", input: {} });

Deno.test("anthropic: thinking goes back unchanged and in place, signed or redacted", async () => {
  await using vendors = await ProviderConnections.start();
  const redacted = { type: "redacted_thinking", data: "EroHCkYICBgC" };
  const first = await vendors.ask(
    "anthropic",
    message(
      thinking("Hm", ", hard."),
      [redacted],
      words("Let me look."),
      thinking(),
      [use("t1")],
      thinking("And again."),
      [use("t2")],
    ),
  );
  assertEquals(first.text, "Let me look.");
  await vendors.ask("anthropic", {}, { messages: answered(turnOf(first)) });
  assertEquals(vendors.mock.requests[1]!.body.messages[1].content, [
    thought("Hm, hard."),
    redacted,
    { type: "text", text: "Let me look." },
    thought(""),
    use("t1"),
    thought("And again."),
    use("t2"),
  ]);
});

Deno.test("anthropic: whole, unsigned thinking goes back unchanged", async () => {
  await using vendors = await ProviderConnections.start();
  const block = { type: "thinking", thinking: "Hm." };
  const first = await vendors.ask("anthropic", message([block], [use("t1")]));
  await vendors.ask("anthropic", {}, { messages: answered(turnOf(first)) });
  assertEquals(vendors.mock.requests[1]!.body.messages[1].content, [block, use("t1")]);
});

const called = { calls: [{ id: "c1", name: "look_up", args: ["{}"] }] };
const piece = (delta: unknown, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const callPiece = { tool_calls: [{ index: 0, id: "c1", function: { name: "look_up" } }] };

/** The turn that goes back to a server that sent these deltas before its call. */
async function retold(vendors: ProviderConnections, ...deltas: unknown[]) {
  const body = sse([...deltas.map((one) => piece(one)), piece(callPiece), piece({}, "tool_calls")]);
  const first = await vendors.ask("openai", { body });
  await vendors.ask("openai", {}, { messages: answered(turnOf(first)) });
  return vendors.mock.requests.at(-1)!.body.messages[2];
}

Deno.test("openai: reasoning_content goes back unchanged with the calls", async () => {
  await using vendors = await ProviderConnections.start();
  const { role, content, reasoning_content, tool_calls } = await retold(
    vendors,
    { reasoning_content: "I must ", content: null },
    { reasoning_content: "look." },
  );
  assertEquals([role, content, reasoning_content], ["assistant", null, "I must look."]);
  assertEquals(tool_calls.length, 1);
  assertEquals((await retold(vendors, { reasoning_content: "" })).reasoning_content, "");
});

Deno.test("openai: a server that sends no reasoning_content gets none", async () => {
  await using vendors = await ProviderConnections.start();
  const nothing: unknown[] = [{ content: "Hm" }, { reasoning_content: null }, { reasoning: "Hm" }];
  for (const delta of nothing) {
    assertEquals("reasoning_content" in await retold(vendors, delta), false);
  }
});

Deno.test("openai: a server that demands missing reasoning gets an empty one", async () => {
  await using vendors = await ProviderConnections.start();
  const words = "The `reasoning_content` in the thinking mode must be passed back to the API.";
  const insists = { status: 400, body: JSON.stringify({ error: { message: words } }) };
  const first = await vendors.ask("openai", { say: [called] });
  const messages = answered({ ...turnOf(first), fromOtherModel: true });
  assertEquals((await vendors.ask("openai", [insists, {}], { messages })).text, "Hello there.");
  await vendors.ask("openai", {}, { messages });
  const sent = vendors.mock.requests.slice(1).map(({ body }) => body.messages[2].reasoning_content);
  assertEquals(sent, [undefined, "", ""]);
});

Deno.test("openai: a server that rejects its own reasoning gets none from then on", async () => {
  await using vendors = await ProviderConnections.start();
  const words = "property 'messages.2.assistant.reasoning_content' is unsupported";
  const refusal = { status: 400, body: JSON.stringify({ message: words }) };
  const first = await vendors.ask("openai", { say: [{ thought: "Hm." }, called] });
  const messages = answered(turnOf(first));
  const second = await vendors.ask("openai", [refusal, refusal, {}], { messages });
  assertEquals([second.text, vendors.reports], ["Hello there.", []]);
  await vendors.ask("openai", {}, { messages });
  const sent = vendors.mock.requests.slice(1).map(({ body }) => body.messages[2].reasoning_content);
  assertEquals(sent, ["Hm.", "Hm.", undefined, undefined]);
});

for (const protocol of ["openai", "anthropic"] as const) {
  Deno.test(`${protocol}: a response without calls has no metadata to send back`, async () => {
    await using vendors = await ProviderConnections.start();
    for (const end of ["stop", "length"] as const) {
      const say = [{ thought: "Hm." }, { text: "Yes." }];
      const { events } = await vendors.ask(protocol, { say, end });
      assertEquals(onlyEvent(events, "end"), { type: "end", reason: end, reasoning: "Hm." });
    }
  });

  Deno.test(`${protocol}: excessively long reasoning is not sent back`, async () => {
    await using vendors = await ProviderConnections.start();
    const most = Array.from({ length: 4 }, () => ({ thought: "x".repeat(65_000) }));
    const kept = await vendors.ask(protocol, { say: [...most, called] });
    assertEquals("providerMetadata" in onlyEvent(kept.events, "end"), true);
    const { events } = await vendors.ask(protocol, { say: [...most, most[0]!, called] });
    const { reasoning, ...end } = onlyEvent(events, "end");
    assertEquals(end, { type: "end", reason: "tool_calls" });
    // What people see of it has a limit too.
    assertEquals(reasoning?.length, 16_384);
    assertEquals(onlyEvent(events, "tool_call").call.id, "c1");
  });
}

Deno.test("google: the first call of another provider's step gets the documented signature", async () => {
  await using vendors = await ProviderConnections.start();
  const call = (id: string) => ({ id, name: "look_up", args: "{}" });
  const turn: AssistantMessage = {
    role: "assistant",
    content: "",
    toolCalls: [call("c1"), call("c2")],
  };
  for (const foreign of [{}, { fromOtherModel: true } as const]) {
    await vendors.ask("google", {}, { messages: answered({ ...turn, ...foreign }) });
  }
  const sent = vendors.mock.requests.map(({ body }) =>
    body.contents[1].parts.map((part: { thoughtSignature?: string }) => part.thoughtSignature)
  );
  assertEquals(sent, [
    [undefined, undefined],
    ["skip_thought_signature_validator", undefined],
  ]);
});

for (
  const [protocol, event] of [
    ["openai", { choices: [{ delta: { reasoning_content: "Private." }, finish_reason: "error" }] }],
    ["openai", {
      error: { message: "It broke." },
      choices: [{ delta: { reasoning_content: "Private." } }],
    }],
    ["google", {
      error: { message: "It broke." },
      candidates: [{ content: { parts: [{ text: "Private.", thought: true }] } }],
    }],
  ] as const
) {
  const kind = Object.keys(event)[0];
  Deno.test(`${protocol}: reasoning next to an error is not reported (${kind})`, async () => {
    await using vendors = await ProviderConnections.start();
    const script: Script = { body: `data: ${JSON.stringify(event)}\n\n` };
    await vendors.ask(protocol, [script, script, script]);
    assert(vendors.reports.length > 0);
    assert(!JSON.stringify(vendors.reports).includes("Private."));
  });
}
