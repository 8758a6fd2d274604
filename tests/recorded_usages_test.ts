/** What 60 recorded usages cost, from the bytes of each protocol to the micro-USD. */
import { assertEquals } from "@std/assert";
import { costMicroUsd } from "@/lib/schemas/token_cost.ts";
import type { Protocol } from "@/lib/schemas/connection_config.ts";
import { RECORDED_USAGES } from "./fixtures/recorded_usages.ts";
import { onlyEvent, PROTOCOLS, ProviderConnections } from "./support/provider_connections.ts";

type Usage = Record<string, unknown>;

const BODIES: Readonly<Record<Protocol, (usage: Usage) => string>> = {
  openai: (usage) =>
    [
      { choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { choices: [], usage },
    ].map(data).join("") + "data: [DONE]\n\n",
  anthropic: ({ output_tokens, ...input }) =>
    [
      { type: "message_start", message: { usage: { ...input, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      // The last event repeats the sums, but not the parts by duration.
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { ...input, cache_creation: undefined, output_tokens },
      },
      { type: "message_stop" },
    ].map(data).join(""),
  google: (usageMetadata) =>
    data({
      candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata,
    }),
};

function data(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

Deno.test("there are 60 recorded usages, of all protocols", () => {
  assertEquals(RECORDED_USAGES.length, 60);
  assertEquals(new Set(RECORDED_USAGES.map(({ protocol }) => protocol)), new Set(PROTOCOLS));
});

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: recorded usages cost what was worked out by hand`, async () => {
    await using providers = await ProviderConnections.start();
    for (const recorded of RECORDED_USAGES.filter((one) => one.protocol === protocol)) {
      const body = BODIES[protocol](recorded.usage);
      const { events, error } = await providers.ask(protocol, { body });
      assertEquals(error, undefined);
      const { type: _type, ...usage } = onlyEvent(events, "usage");
      assertEquals(usage.estimated, undefined, JSON.stringify(recorded));
      assertEquals(costMicroUsd(recorded.price, usage), recorded.cost, JSON.stringify(recorded));
    }
  });
}
