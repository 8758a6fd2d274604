import { assertEquals, assertStringIncludes } from "@std/assert";
import { describeBudget } from "./describe_budget.ts";

const facts = {
  price: { inputUsdPerMTok: 1, outputUsdPerMTok: 4 },
  promptLength: 400,
  maxCostUsd: 0.25,
  hardDailyUsd: 5,
};

Deno.test("describeBudget: a budget is told as typical answers, and the day as messages", () => {
  assertEquals(
    describeBudget(facts),
    "A typical answer of this model costs about $0.0015. This allows 170 times that, for tools " +
      "and long conversations; a day's $5 pays for about 3,300 messages.",
  );
});

Deno.test("describeBudget: a budget below one answer is told so, and a free model has no price", () => {
  assertStringIncludes(describeBudget({ ...facts, maxCostUsd: 0.001 }), "most would be cut off");
  const price = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
  assertStringIncludes(describeBudget({ ...facts, price }), "free");
});

Deno.test("describeBudget: nothing is said of a budget that is no number, or without a model", () => {
  assertEquals(describeBudget({ ...facts, maxCostUsd: NaN }), "");
  assertEquals(describeBudget({ ...facts, price: undefined }), "");
});
