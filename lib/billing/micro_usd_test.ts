import { assertEquals } from "@std/assert";
import { costMicroUsd, toUsd } from "./micro_usd.ts";

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

Deno.test("toUsd: converts micro-USD to USD", () => {
  assertEquals(toUsd(1), 0.000001);
  assertEquals(toUsd(750_000), 0.75);
  assertEquals(toUsd(0), 0);
});
