import { assert, assertEquals } from "@std/assert";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { costMicroUsd } from "../../schemas/token_cost.ts";
import { affordableOutput, outputLimit, stepCost } from "./step_cost.ts";

const LARGE = { contextTokens: 1_000_000, maxOutputTokens: 8_192 };
const MID = { ...LARGE, inputUsdPerMTok: 3, outputUsdPerMTok: 15 };

Deno.test("stepCost: the highest cost of all candidates", () => {
  const dear = { ...LARGE, inputUsdPerMTok: 1, outputUsdPerMTok: 75 };
  const cost = stepCost([MID, dear], { inputTokens: 1_000, inputBytes: 1_000, outputTokens: 100 });
  assertEquals(cost, { max: 1_000 + 7_500, min: 3_015 });
});

Deno.test("stepCost: each model with the output that fits next to the prompt", () => {
  const short = { ...MID, outputUsdPerMTok: 30, contextTokens: 1_000 };
  const step = { inputTokens: 1_500, inputBytes: 1_500, outputTokens: 4_096 };
  assertEquals([outputLimit(MID, step), outputLimit(short, step)], [4_096, 500]);
  assertEquals(stepCost([short], step).max, 4_500 + 500 * 30);
  assertEquals(stepCost([MID, short], step).max, 4_500 + 4_096 * 15);
});

Deno.test("affordableOutput: the output never costs more than the hold and uses it up", () => {
  const random = seeded(5);
  for (let n = 0; n < 2_000; n++) {
    const price = {
      ...LARGE,
      inputUsdPerMTok: Math.round(random() * 1_000) / 100,
      outputUsdPerMTok: Math.round(random() * 6_000 + 1) / 100,
    };
    const inputTokens = Math.floor(random() * 20_000);
    const { max, min } = stepCost([price], { inputTokens, inputBytes: 0, outputTokens: 4_096 });
    const hold = min + Math.floor(random() * (max - min + 1));
    const wanted = affordableOutput(price, { hold, inputTokens, wanted: 4_096 });
    assert(costMicroUsd(price, { inputTokens, outputTokens: wanted }) <= hold);
    const more = costMicroUsd(price, { inputTokens, outputTokens: wanted + 1 });
    assert(wanted === 4_096 || more > hold, JSON.stringify({ price, inputTokens, hold, wanted }));
  }
});

Deno.test("affordableOutput: a free model may write all that is wanted", () => {
  const free = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
  assertEquals(affordableOutput(free, { hold: 0, inputTokens: 9, wanted: 500 }), 500);
});
