/** One recorded session per protocol, replayed at several cuts. */
import { assertEquals } from "@std/assert";
import { ProviderConnections } from "@/tests/support/provider_connections.ts";
import type { ModelEvent } from "./model.ts";

const RECORDINGS = {
  openai: {
    file: "openai_chat_completions.sse",
    call: { id: "call_DdmO9pD3xa9XTPNJ32zg2hcA", args: '{"location":"Zürich"}' },
    usage: { inputTokens: 82, outputTokens: 23, cachedInputTokens: 0, reasoningTokens: 0 },
  },
  anthropic: {
    file: "anthropic_messages.sse",
    call: { id: "toolu_01T1x1fJ34qAmk2tNTrN7Up6", args: '{"location": "Zürich"}' },
    usage: { inputTokens: 472, outputTokens: 89, cachedInputTokens: 0 },
  },
  google: {
    file: "google_stream_generate_content.sse",
    call: {
      id: "own_1_1",
      args: '{"location":"Zürich"}',
      providerMetadata: "CiQB0e2Kb3pYd2lkZSBleGFtcGxlIHNpZ25hdHVyZQ==",
    },
    usage: { inputTokens: 61, outputTokens: 74, reasoningTokens: 53 },
  },
} as const;

for (const protocol of ["openai", "anthropic", "google"] as const) {
  const { file, call, usage } = RECORDINGS[protocol];
  const expected: ModelEvent[] = [
    { type: "tool_call", call: { name: "get_weather", ...call } },
    { type: "usage", ...usage },
    { type: "end", reason: "tool_calls" },
  ];

  Deno.test(`${protocol}: a recorded session is decoded, however the network splits it`, async () => {
    await using vendors = await ProviderConnections.start();
    const body = await readRecording(file);
    for (const cut of [1, 5, 113, 1000, body.length]) {
      const { events, text, error } = await vendors.ask(protocol, { body, cut });
      assertEquals(error, undefined, `cut at ${cut}`);
      assertEquals(text, "I'll check Zürich.");
      assertEquals(events.filter(({ type }) => type !== "text"), expected);
    }
  });

  Deno.test(`${protocol}: a recorded session broken anywhere still reports usage`, async () => {
    await using vendors = await ProviderConnections.start();
    const body = await readRecording(file);
    for (let at = 700; at < body.length; at += 331) {
      const { events, error } = await vendors.ask(protocol, { body: body.subarray(0, at) });
      const told = events.findLast(({ type }) => type === "usage");
      if (error !== undefined) assertEquals([error.code, told?.type], ["provider_error", "usage"]);
      // Only a complete response yields its call.
      const called = events.some(({ type }) => type === "tool_call");
      assertEquals(called, error === undefined, `broken at ${at}`);
    }
  });
}

/** What a recording of reasoning, caching and two calls in one step is decoded to. */
const THINKING = {
  openai: {
    ids: ["call_ParallelA", "call_ParallelB"],
    usage: {
      inputTokens: 2_497,
      outputTokens: 260,
      cachedInputTokens: 2_304,
      reasoningTokens: 192,
    },
    // The protocol never shows it.
    reasoning: undefined,
  },
  anthropic: {
    ids: ["toolu_01ParallelA", "toolu_01ParallelB"],
    // 37 of its own, 412 written and 2,048 read.
    usage: {
      ...{ inputTokens: 2_497, outputTokens: 196 },
      ...{ cachedInputTokens: 2_048, cacheWriteTokens: 412 },
    },
    reasoning: "Both cities are asked for, so I look up Zürich and Genève.",
  },
  google: {
    ids: ["own_1_1", "own_1_2"],
    // 43 and 96 thought.
    usage: { inputTokens: 2_497, outputTokens: 139, cachedInputTokens: 2_048, reasoningTokens: 96 },
    reasoning: "**Two cities**\n\nBoth cities are asked for, so I look up Zürich and Genève.",
  },
} as const;

for (const protocol of ["openai", "anthropic", "google"] as const) {
  Deno.test(`${protocol}: recorded reasoning, caching and parallel calls are decoded`, async () => {
    await using vendors = await ProviderConnections.start();
    const body = await readRecording(`${protocol}_thinking.sse`);
    const { ids, usage, reasoning } = THINKING[protocol];
    for (const cut of [1, 7, 300, body.length]) {
      const { events, text, error } = await vendors.ask(protocol, { body, cut });
      assertEquals([error, text], [undefined, "I'll check both."]);
      const calls = events.flatMap((event) => event.type === "tool_call" ? [event.call] : []);
      assertEquals(calls.map(({ id }) => id), [...ids]);
      const places = calls.map(({ args }) => JSON.parse(args).location);
      assertEquals(places, ["Zürich", "Genève"]);
      assertEquals(events.find(({ type }) => type === "usage"), { type: "usage", ...usage });
      const end = events.at(-1);
      assertEquals(end?.type === "end" && end.reasoning, reasoning);
    }
  });

  Deno.test(`${protocol}: a recorded structured answer is the JSON text`, async () => {
    await using vendors = await ProviderConnections.start();
    const body = await readRecording(`${protocol}_structured.sse`);
    for (const cut of [1, 50, body.length]) {
      const { text } = await vendors.ask(protocol, { body, cut });
      assertEquals(JSON.parse(text), { city: "Zürich", degrees: 21 });
    }
  });
}

function readRecording(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return Deno.readFile(new URL(`../../tests/fixtures/${name}`, import.meta.url));
}
