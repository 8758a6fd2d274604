/** A model's hidden reasoning stays within the run, and is charged when the run is stopped. */
import { assert, assertEquals } from "@std/assert";
import { readFrames, textOf } from "./support/frames.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { SseText } from "./support/sse_text.ts";
import { ProviderService } from "./support/provider_service.ts";

const REASONING = "This reasoning is private.";
/** The mock Anthropic API signs every thinking block with it. */
const SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h";
/** A step that reasons and then calls a tool that does not exist. */
const step = (id: string): Script => ({
  say: [{ thought: REASONING }, { calls: [{ id, name: "nothing", args: ["{}"] }] }],
});

Deno.test("reasoning goes back to its own provider within the run, and to no other provider, frame, log or store", async () => {
  await using mock = await MockProviders.start();
  const unavailable = { status: 500 };
  mock.next(step("c1"), step("c2"), unavailable, unavailable, unavailable, {});
  await using on = await ProviderService.start(mock, { runtime: new ManualClock().runtime });
  const agent = await on.agent("vendor_b", { fallback: { provider: "vendor_c", model: "mid" } });
  const frames = await readFrames(await on.send(agent));
  assertEquals(textOf(frames), "Hello there.");

  const [first, second, third] = mock.requests.map(({ body }) => body);
  const block = { type: "thinking", thinking: REASONING, signature: SIGNATURE };
  assertEquals(first.messages.length, 1);
  const blocksOf = (message: { content: { type: string }[] }) => message.content;
  assertEquals(blocksOf(second.messages[1])[0], block);
  assertEquals([1, 3].map((n) => blocksOf(third.messages[n])[0]), [block, block]);

  const other = mock.requests.at(-1)!;
  assertEquals(other.protocol, "google");
  const signed = other.body.contents.flatMap(({ parts }: { parts: Record<string, unknown>[] }) =>
    parts.filter(({ functionCall }) => functionCall).map((part) => part.thoughtSignature)
  );
  assertEquals(signed, ["skip_thought_signature_validator", "skip_thought_signature_validator"]);

  const stored = await Array.fromAsync(
    on.kv.list({ prefix: [] }),
    ({ key, value }) => [key, value],
  );
  const places = [other.body, frames, on.service.logged, readable(stored)];
  for (const place of places.map((one) => JSON.stringify(one))) {
    assert(place.length > 2);
    assert(!place.includes(REASONING) && !place.includes(SIGNATURE), place.slice(0, 2_000));
  }
});

/** A stored value with its bytes decoded as text. */
function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value === "bigint" || value instanceof Deno.KvU64) return String(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, readable(one)]));
}

for (const [basis, maxCostUsd] of [["the elapsed time", 1], ["the run's budget", 0.005]] as const) {
  Deno.test(`a model stopped during silent reasoning is charged by ${basis}`, async () => {
    await using mock = await MockProviders.start();
    const clock = new ManualClock();
    await using on = await ProviderService.start(mock, { runtime: clock.runtime });
    const budget = { maxCostUsd, maxSteps: 4, wallClockMs: 120_000 };
    const agent = await on.agent("vendor_a", { budget });
    mock.next({ say: [{ thought: "Hm." }, { text: "Yes." }] }, { silent: true });
    await readFrames(await on.send(agent));

    const answer = on.send(agent);
    await mock.asked(2);
    await clock.advance(5_000);
    await using stream = new SseText(await answer);
    await clock.advance(7_000);
    const tenant = await on.service.tenant();
    const [apiKey] = await on.service.service.apiKeys.list(tenant);
    await on.service.service.chat.cancelRunsOf(tenant, apiKey!.id);
    await stream.until("event: done");
    const { inputTokens, outputTokens, costUsd } = stream.frame("usage");
    // 3 micro-dollars per input token, 15 per output token.
    assertEquals(Math.round(costUsd * 1e6), inputTokens * 3 + outputTokens * 15);
    if (maxCostUsd === 1) assertEquals(outputTokens, 1_000);
    else assert(outputTokens > 200 && costUsd <= maxCostUsd, `${outputTokens} ${costUsd}`);
    const costs = (await on.records()).map(({ cost }) => cost);
    assert(costs.includes(Math.round(costUsd * 1e6)));
  });
}
