import { assertEquals, assertStringIncludes } from "@std/assert";
import { describeBudget } from "./describe_budget.ts";

const INPUT = {
  price: { inputUsdPerMTok: 1, outputUsdPerMTok: 4 },
  promptLength: 400,
  maxCostUsd: 0.25,
  hardDailyUsd: 5,
};

Deno.test("describeBudget: expresses a limit in typical answers, and the daily limit in messages", () => {
  assertEquals(
    describeBudget(INPUT),
    "A typical answer from this model costs about $0.0015. This limit allows 170 times that, for " +
      "tools and long conversations; the daily limit of $5 pays for about 3,300 messages.",
  );
});

Deno.test("describeBudget: warns if the limit is below one answer; a free model has no price", () => {
  assertStringIncludes(
    describeBudget({ ...INPUT, maxCostUsd: 0.001 }),
    "most answers would stop early",
  );
  const price = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
  assertStringIncludes(describeBudget({ ...INPUT, price }), "free");
});

Deno.test("describeBudget: is empty without a number or a model", () => {
  assertEquals(describeBudget({ ...INPUT, maxCostUsd: NaN }), "");
  assertEquals(describeBudget({ ...INPUT, price: undefined }), "");
});
