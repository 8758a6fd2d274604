/** Where OpenAI and compatible servers report the parts of their usage, and what is no count. */
import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { ResponseAccumulator } from "../response_accumulator.ts";
import { UsageTracker } from "../usage_tracker.ts";
import { OpenaiDecoder } from "./openai_decoder.ts";

function decodeUsage(...usages: Record<string, unknown>[]) {
  const clock = new FakeRuntime();
  const tracker = new UsageTracker({
    requestBytes: 200,
    maxOutputTokens: 50,
    now: () => clock.now(),
  });
  const decoder = new OpenaiDecoder(new ResponseAccumulator(tracker, 1));
  for (const usage of usages) decoder.decode(JSON.stringify({ choices: [], usage }));
  return tracker.total(true);
}

const TOTALS = { prompt_tokens: 100, completion_tokens: 20 };
const DECODED = { inputTokens: 100, outputTokens: 20 };

for (
  const [server, reported, parts] of [
    ["OpenAI", {
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 8 },
    }, { cachedInputTokens: 64, reasoningTokens: 8 }],
    ["DeepSeek", { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, {
      cachedInputTokens: 64,
    }],
    ["Moonshot", { cached_tokens: 64 }, { cachedInputTokens: 64 }],
    ["OpenRouter", { prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 90 } }, {
      ...{ cachedInputTokens: 0, cacheWriteTokens: 90 },
    }],
    ["LiteLLM", {
      prompt_tokens_details: { cached_tokens: 10 },
      ...{ cache_creation_input_tokens: 80, cache_read_input_tokens: 10 },
    }, { cachedInputTokens: 10, cacheWriteTokens: 80 }],
    ["a server whose output lacks the reasoning", { total_tokens: 150 }, { outputTokens: 50 }],
  ] as const
) {
  Deno.test(`openai: the usage of ${server}`, () => {
    assertEquals(decodeUsage({ ...TOTALS, ...reported }), { ...DECODED, ...parts });
  });
}

for (const count of [-1, 0.5, 1e300, 1e10, "64", true, null, [64], {}]) {
  Deno.test(`openai: ${JSON.stringify(count)} is no count of tokens`, () => {
    const usage = {
      ...{ prompt_tokens: count, completion_tokens: count },
      prompt_tokens_details: { cached_tokens: count, cache_write_tokens: count },
      completion_tokens_details: { reasoning_tokens: count },
    };
    assertEquals(decodeUsage(TOTALS, usage), DECODED);
    // Without a valid report, the input is estimated.
    assertEquals(decodeUsage(usage), { inputTokens: 100, outputTokens: 0, estimated: true });
  });
}
