import { assertEquals } from "@std/assert";
import { RunUsage } from "./run_usage.ts";

const SONNET = { provider: "vendor_b", model: "claude-sonnet-4-5" } as const;
const PRICE = {
  inputUsdPerMTok: 4,
  outputUsdPerMTok: 20,
  cacheReadUsdPerMTok: 3,
  cacheWriteUsdPerMTok: 5,
};

function countSteps(...steps: Parameters<RunUsage["addTokens"]>[0][]) {
  const usage = new RunUsage(() => PRICE);
  for (const step of steps) usage.addTokens(step);
  return { ...usage.totals, cost: usage.costMicroUsd };
}

Deno.test("RunUsage: a read that saves what the write cost more leaves no savings", () => {
  const step = { ...SONNET, inputTokens: 1_000, outputTokens: 0 };
  const totals = countSteps(
    { ...step, cacheWriteTokens: 1_000 },
    { ...step, cachedInputTokens: 1_000 },
  );
  assertEquals(totals, {
    steps: 0,
    toolCalls: 0,
    inputTokens: 2_000,
    outputTokens: 0,
    cachedInputTokens: 1_000,
    cacheWriteTokens: 1_000,
    cost: 8_000,
  });
});

Deno.test("RunUsage: parts above their total are recorded as the total", () => {
  const counted = countSteps({
    ...SONNET,
    ...{ inputTokens: 10, cachedInputTokens: 1e9, cacheWriteTokens: 1e9, cacheWrite1hTokens: 1e9 },
    ...{ outputTokens: 5, reasoningTokens: 1e9 },
  });
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens, cost } = counted;
  assertEquals([cachedInputTokens, cacheWriteTokens, reasoningTokens], [10, 10, 5]);
  assertEquals(cost, 10 * 5 + 5 * 20);
});
