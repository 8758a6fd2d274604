/** What comes out of each protocol's stream, over real sockets. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ScriptedCall, ScriptedPart } from "@/tests/support/mock_providers/script.ts";
import { oneByOne } from "@/tests/support/model_events.ts";
import { onlyEvent, PROTOCOLS, ProviderConnections } from "@/tests/support/provider_connections.ts";

const WORDS: ScriptedPart[] = ["Grüße ", "aus ", "東京 ", "🗼 ", "— fin."].map((text) => ({
  text,
}));
const SENTENCE = "Grüße aus 東京 🗼 — fin.";

const WEATHER: ScriptedCall = {
  id: "toolu_1",
  name: "get_weather",
  args: ['{"ci', 'ty": "Zü', 'rich"', "}"],
};
const TIME: ScriptedCall = { id: "toolu_2", name: "get_time", args: ['{"zone":', ' "CET"}'] };

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: yields text, then usage, then the end`, async () => {
    await using vendors = await ProviderConnections.start();
    const { events, text } = await vendors.ask(protocol, { say: WORDS });
    assertEquals(text, SENTENCE);
    assertEquals(events.slice(-2), [
      { type: "usage", inputTokens: 25, outputTokens: 15, ...cachedNone(protocol) },
      { type: "end", reason: "stop" },
    ]);
    assertEquals(vendors.reports, []);
  });

  Deno.test(`${protocol}: a text may equal the JSON between two strings`, async () => {
    await using vendors = await ProviderConnections.start();
    for (const first of [",", ":", ":{"]) {
      const { text } = await vendors.ask(protocol, { say: [{ text: first }, ...WORDS] });
      assertEquals(text, first + SENTENCE);
    }
    assertEquals(vendors.reports, []);
  });

  for (const eol of ["\n", "\r\n"] as const) {
    Deno.test(`${protocol}: any split into chunks gives the same events, with line ends ${JSON.stringify(eol)}`, async () => {
      await using vendors = await ProviderConnections.start();
      const call: ScriptedPart = { calls: [WEATHER] };
      for (const cut of [1, 2, 3, 7, 64]) {
        const { events, text } = await vendors.ask(protocol, { say: [...WORDS, call], cut, eol });
        assertEquals(text, SENTENCE, `cut at ${cut}`);
        assertEquals(JSON.parse(onlyEvent(events, "tool_call").call.args), { city: "Zürich" });
        assertEquals(onlyEvent(events, "end").reason, "tool_calls");
      }
    });
  }

  Deno.test(`${protocol}: the text of one network chunk is one event`, async () => {
    await using vendors = await ProviderConnections.start();
    const { events } = await vendors.ask(protocol, { say: WORDS });
    assertEquals(events.filter((event) => event.type === "text").length, 1);
  });

  Deno.test(`${protocol}: text is yielded as it arrives`, async () => {
    await using vendors = await ProviderConnections.start();
    const gate = Promise.withResolvers<void>();
    vendors.mock.next({ say: [{ text: "One" }, { wait: gate.promise }, { text: " two" }] });
    const next = oneByOne(await vendors.open(protocol));
    assertEquals(await next(), { type: "text", text: "One" });
    gate.resolve();
    assertEquals(await next(), { type: "text", text: " two" });
    while (await next() !== undefined);
  });

  Deno.test(`${protocol}: comments and pings are ignored`, async () => {
    await using vendors = await ProviderConnections.start();
    const say: ScriptedPart[] = [
      { comment: "keep-alive" },
      { ping: true },
      { text: "Hel" },
      { ping: true },
      { comment: "" },
      { text: "lo" },
    ];
    assertEquals((await vendors.ask(protocol, { say })).text, "Hello");
  });

  Deno.test(`${protocol}: a tool call with arguments in several deltas is yielded once`, async () => {
    await using vendors = await ProviderConnections.start();
    const say: ScriptedPart[] = [{ text: "Let me look." }, { calls: [WEATHER] }];
    const { events } = await vendors.ask(protocol, { say });
    const { call } = onlyEvent(events, "tool_call");
    assertEquals([call.id, call.name], ["toolu_1", "get_weather"]);
    assertEquals(JSON.parse(call.args), { city: "Zürich" });
    assertEquals(events.map((event) => event.type), ["text", "tool_call", "usage", "end"]);
    assertEquals(onlyEvent(events, "end").reason, "tool_calls");
  });

  Deno.test(`${protocol}: parallel calls are separate and in order`, async () => {
    await using vendors = await ProviderConnections.start();
    const { events } = await vendors.ask(protocol, { say: [{ calls: [WEATHER, TIME] }] });
    const calls = events.flatMap((event) => event.type === "tool_call" ? [event.call] : []);
    assertEquals(calls.map(({ id, name, args }) => [id, name, JSON.parse(args)]), [
      ["toolu_1", "get_weather", { city: "Zürich" }],
      ["toolu_2", "get_time", { zone: "CET" }],
    ]);
  });

  Deno.test(`${protocol}: a call without arguments or id gets an id`, async () => {
    await using vendors = await ProviderConnections.start();
    const calls = [{ name: "ping", args: [] }, { name: "ping", args: [] }];
    const { events } = await vendors.ask(protocol, { say: [{ calls }] });
    const ids = events.flatMap((event) => event.type === "tool_call" ? [event.call.id] : []);
    assertEquals(new Set(ids).size, 2);
    for (const id of ids) assertMatch(id, /^own_/);
  });

  for (
    const [end, reason] of [
      ["length", "length"],
      ["filter", "content_filter"],
      ["refusal", "content_filter"],
    ] as const
  ) {
    Deno.test(`${protocol}: stop reason ${end} becomes ${reason}`, async () => {
      await using vendors = await ProviderConnections.start();
      const { events, error } = await vendors.ask(protocol, { end });
      assertEquals(onlyEvent(events, "end").reason, reason);
      assertEquals(error, undefined);
    });
  }

  Deno.test(`${protocol}: a call truncated by the output limit is dropped`, async () => {
    await using vendors = await ProviderConnections.start();
    const say: ScriptedPart[] = [{ calls: [{ ...WEATHER, args: ["{}"] }] }];
    const { events } = await vendors.ask(protocol, { say, end: "length" });
    assertEquals(events.map((event) => event.type), ["usage", "end"]);
    assertEquals(onlyEvent(events, "end").reason, "length");
  });

  Deno.test(`${protocol}: cached and reasoning tokens are parts of the totals`, async () => {
    await using vendors = await ProviderConnections.start();
    const usage = { input: 100, output: 50, cached: 40, reasoning: 30 };
    const { events } = await vendors.ask(protocol, { usage });
    const told = onlyEvent(events, "usage");
    // One provider counts cached input separately.
    assertEquals(told.inputTokens, protocol === "anthropic" ? 140 : 100);
    assertEquals([told.outputTokens, told.cachedInputTokens], [50, 40]);
    if (protocol !== "anthropic") assertEquals(told.reasoningTokens, 30);
    assertEquals(told.estimated, undefined);
  });

  Deno.test(`${protocol}: reasoning is not yielded as text`, async () => {
    await using vendors = await ProviderConnections.start();
    const { text } = await vendors.ask(protocol, {
      say: [{ thought: "Hmm, hard." }, { text: "Yes." }],
    });
    assertEquals(text, "Yes.");
  });

  Deno.test(`${protocol}: reported usage above the limit is charged`, async () => {
    await using vendors = await ProviderConnections.start();
    const { events } = await vendors.ask(protocol, {
      usage: { input: 9_000_000, output: 9_000_000 },
    });
    const { inputTokens, outputTokens, estimated } = onlyEvent(events, "usage");
    assertEquals([inputTokens, outputTokens, estimated], [9_000_000, 9_000_000, undefined]);
  });

  for (const [name, lie] of [["negative", -5], ["no number", "7"], ["too large", 1e300]] as const) {
    Deno.test(`${protocol}: usage that is ${name} is estimated instead`, async () => {
      await using vendors = await ProviderConnections.start();
      const { events, error } = await vendors.ask(protocol, { usage: { input: lie, output: lie } });
      const usage = onlyEvent(events, "usage");
      assertEquals(usage.estimated, true);
      assert(usage.inputTokens > 0 && Number.isSafeInteger(usage.inputTokens));
      assert(usage.outputTokens > 0 && usage.outputTokens <= 1000);
      assertEquals(error, undefined);
    });
  }

  Deno.test(`${protocol}: missing usage is estimated high from the bytes`, async () => {
    await using vendors = await ProviderConnections.start();
    const { events } = await vendors.ask(protocol, {
      say: [{ text: "x".repeat(300) }],
      usage: "absent",
    });
    const usage = onlyEvent(events, "usage");
    assertEquals([usage.outputTokens, usage.estimated], [150, true]);
    assert(usage.inputTokens >= "Be helpful.Hi".length / 2);
  });

  Deno.test(`${protocol}: an estimate never exceeds the output limit`, async () => {
    await using vendors = await ProviderConnections.start();
    const say: ScriptedPart[] = [{ text: "x".repeat(3000) }];
    const { events } = await vendors.ask(protocol, { say, usage: "absent" }, {
      maxOutputTokens: 20,
    });
    assertEquals(onlyEvent(events, "usage").outputTokens, 20);
  });

  Deno.test(`${protocol}: a response of a megabyte is read completely`, async () => {
    await using vendors = await ProviderConnections.start();
    const piece = "0123456789abcdef".repeat(4096);
    const say = Array.from({ length: 16 }, () => ({ text: piece }));
    const { text } = await vendors.ask(protocol, { say });
    assertEquals(text.length, 16 * piece.length);
  });

  Deno.test(`${protocol}: twenty parallel responses do not mix`, async () => {
    await using vendors = await ProviderConnections.start();
    for (let n = 0; n < 20; n++) vendors.mock.next({ say: WORDS, cut: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => vendors.ask(protocol, [])));
    assertEquals(new Set(answers.map(({ text }) => text)), new Set([SENTENCE]));
  });
}

/** The mocks' default usage details. */
function cachedNone(protocol: string) {
  if (protocol === "openai") return { cachedInputTokens: 0, reasoningTokens: 0 };
  return protocol === "anthropic" ? { cachedInputTokens: 0 } : {};
}
