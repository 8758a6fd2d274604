import { assertEquals, assertStringIncludes } from "@std/assert";
import { budgetWords } from "./budget_words.ts";

const facts = {
  price: { inputUsdPerMTok: 1, outputUsdPerMTok: 4 },
  promptLength: 400,
  maxCostUsd: 0.25,
  hardDailyUsd: 5,
};

Deno.test("budgetWords: a budget is told as typical answers, and the day as messages", () => {
  assertEquals(
    budgetWords(facts),
    "A typical answer of this model costs about $0.0015. This allows 170 times that, for tools " +
      "and long conversations; a day's $5 pays for about 3,300 messages.",
  );
});

Deno.test("budgetWords: a budget below one answer is told so, and a free model has no price", () => {
  assertStringIncludes(budgetWords({ ...facts, maxCostUsd: 0.001 }), "most would be cut off");
  const price = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
  assertStringIncludes(budgetWords({ ...facts, price }), "free");
});

Deno.test("budgetWords: nothing is said of a budget that is no number, or without a model", () => {
  assertEquals(budgetWords({ ...facts, maxCostUsd: NaN }), "");
  assertEquals(budgetWords({ ...facts, price: undefined }), "");
});
