/** Prices by bucket: what is cheaper or dearer, and what a provider's mistakes cost. */
import { assert, assertEquals } from "@std/assert";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { cacheSavingsMicroUsd, costMicroUsd, highestPrice, type Price } from "./token_cost.ts";

const SONNET: Price = {
  inputUsdPerMTok: 3,
  outputUsdPerMTok: 15,
  cacheReadUsdPerMTok: 0.3,
  cacheWriteUsdPerMTok: 3.75,
  cacheWrite1hUsdPerMTok: 6,
};

function cost(inputUsdPerMTok: number, outputUsdPerMTok: number, tokens: [number, number]) {
  const price = { inputUsdPerMTok, outputUsdPerMTok };
  return costMicroUsd(price, { inputTokens: tokens[0], outputTokens: tokens[1] });
}

Deno.test("costMicroUsd: a USD per million tokens is a micro-USD per token", () => {
  assertEquals(cost(3, 15, [1_000, 200]), 6_000);
  assertEquals(cost(3, 15, [0, 0]), 0);
  assertEquals(cost(0, 0, [9, 9]), 0);
});

Deno.test("costMicroUsd: rounds up to whole micro-USD", () => {
  assertEquals(cost(0.15, 0.6, [1, 0]), 1);
  assertEquals(cost(0.15, 0.6, [10, 0]), 2);
  assertEquals(cost(0.5, 0, [3, 0]), 2);
});

Deno.test("costMicroUsd: binary rounding errors of decimal prices are not charged", () => {
  // 0.1 * 3 and 1.1 * 3 are a hair above in binary, 0.29 * 100 a hair below.
  assertEquals(cost(0.1, 0.2, [10, 10]), 3);
  assertEquals(cost(1.1, 0, [30, 0]), 33);
  assertEquals(cost(0.29, 0, [100, 0]), 29);
  assertEquals(cost(0.15, 0.6, [1_000_000, 1_000_000]), 750_000);
});

Deno.test("costMicroUsd: huge counts and prices stay safe integers", () => {
  assertEquals(cost(1e9, 1e300, [1e9, 1e9]), 1e12);
  assertEquals(Number.isSafeInteger(32 * cost(Number.MAX_VALUE, 0, [1e9, 0])), true);
});

Deno.test("costMicroUsd: each part of the input has its own price", () => {
  const tokens = {
    ...{ inputTokens: 10_000, outputTokens: 100 },
    ...{ cachedInputTokens: 6_000, cacheWriteTokens: 2_000, cacheWrite1hTokens: 1_000 },
  };
  // 1,000 × 3 + 6,000 × 0.3 + 2,000 × 3.75 + 1,000 × 6 + 100 × 15
  assertEquals(costMicroUsd(SONNET, tokens), 3_000 + 1_800 + 7_500 + 6_000 + 1_500);
});

Deno.test("costMicroUsd: an unset price is that of the side", () => {
  const plain = { inputUsdPerMTok: 3, outputUsdPerMTok: 15 };
  const parts = { cachedInputTokens: 500, cacheWriteTokens: 400, reasoningTokens: 90 };
  const tokens = { inputTokens: 1_000, outputTokens: 100 };
  assertEquals(costMicroUsd(plain, { ...tokens, ...parts }), costMicroUsd(plain, tokens));
  assertEquals(costMicroUsd({ ...plain, reasoningUsdPerMTok: 20 }, { ...tokens, ...parts }), 4_950);
});

Deno.test("costMicroUsd: a price of 0 is a price", () => {
  const free = { inputUsdPerMTok: 3, outputUsdPerMTok: 15, cacheReadUsdPerMTok: 0 };
  const tokens = { inputTokens: 1_000, outputTokens: 0, cachedInputTokens: 900 };
  assertEquals(costMicroUsd(free, tokens), 300);
});

Deno.test("costMicroUsd: parts beyond their total make it dearer, never cheaper", () => {
  const tokens = { inputTokens: 1_000, outputTokens: 0 };
  assertEquals(costMicroUsd(SONNET, { ...tokens, cachedInputTokens: 1_001 }), 3_000);
  assertEquals(costMicroUsd(SONNET, { ...tokens, cacheWriteTokens: 9_999 }), 3_750);
  const both = { ...tokens, cachedInputTokens: 900, cacheWrite1hTokens: 200 };
  assertEquals(costMicroUsd(SONNET, both), 6_000);
});

Deno.test("highestPrice: no usage within its totals costs more", () => {
  const random = seeded(11);
  const upTo = (max: number) => Math.floor(random() * (max + 1));
  const price = () => Math.round(random() * 2_000) / 100;
  for (let n = 0; n < 5_000; n++) {
    const prices: Price = {
      ...{ inputUsdPerMTok: price(), outputUsdPerMTok: price() },
      ...random() < 0.7 && { cacheReadUsdPerMTok: price() },
      ...random() < 0.7 && { cacheWriteUsdPerMTok: price() },
      ...random() < 0.3 && { cacheWrite1hUsdPerMTok: price() },
      ...random() < 0.3 && { reasoningUsdPerMTok: price() },
    };
    const tokens = { inputTokens: upTo(9_000), outputTokens: upTo(900) };
    const parts = {
      ...{ cachedInputTokens: upTo(9_000), cacheWriteTokens: upTo(9_000) },
      ...{ cacheWrite1hTokens: upTo(2_000), reasoningTokens: upTo(1_200) },
    };
    const most = costMicroUsd(highestPrice(prices), tokens);
    assert(
      costMicroUsd(prices, { ...tokens, ...parts }) <= most,
      JSON.stringify({ prices, parts }),
    );
  }
});

Deno.test("cacheSavingsMicroUsd: reads save, writes cost, and without a cache it is 0", () => {
  const tokens = { inputTokens: 10_000, outputTokens: 500 };
  assertEquals(cacheSavingsMicroUsd(SONNET, { ...tokens, cachedInputTokens: 10_000 }), 27_000);
  assertEquals(cacheSavingsMicroUsd(SONNET, { ...tokens, cacheWriteTokens: 10_000 }), -7_500);
  assertEquals(cacheSavingsMicroUsd(SONNET, tokens), 0);
});
