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
    const body = await Deno.readFile(new URL(`../../tests/fixtures/${file}`, import.meta.url));
    for (const cut of [1, 5, 113, 1000, body.length]) {
      const { events, text, error } = await vendors.ask(protocol, { body, cut });
      assertEquals(error, undefined, `cut at ${cut}`);
      assertEquals(text, "I'll check Zürich.");
      assertEquals(events.filter(({ type }) => type !== "text"), expected);
    }
  });

  Deno.test(`${protocol}: a recorded session broken anywhere still reports usage`, async () => {
    await using vendors = await ProviderConnections.start();
    const body = await Deno.readFile(new URL(`../../tests/fixtures/${file}`, import.meta.url));
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
