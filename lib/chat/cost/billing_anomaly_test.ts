import { assertEquals, assertMatch } from "@std/assert";
import type { RunEnd } from "../../store/runs/run_record.ts";
import { type BilledRun, billingAnomaly } from "./billing_anomaly.ts";

const END: RunEnd = {
  provider: "vendor_a",
  model: "mid",
  steps: 1,
  toolCalls: 0,
  inputTokens: 25,
  outputTokens: 15,
  finishReason: "stop",
};

function doubt(change: Partial<Omit<BilledRun, "end">> & { end?: Partial<RunEnd> } = {}) {
  return billingAnomaly({
    price: { inputUsdPerMTok: 3, outputUsdPerMTok: 15 },
    cost: 300,
    charge: { charged: 300, excess: 0 },
    ...change,
    end: { ...END, ...change.end },
  });
}

Deno.test("billingAnomaly: none for a plausible charge or a free model", () => {
  assertEquals(doubt(), undefined);
  const free = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
  assertEquals(doubt({ price: free, cost: 0 }), undefined);
  // The prompt was filtered, or no model was tried.
  assertEquals(doubt({ cost: 0, end: { inputTokens: 0, outputTokens: 0 } }), undefined);
});

Deno.test("billingAnomaly: reports costs beyond every limit and a free answer of a priced model", () => {
  assertMatch(doubt({ charge: { charged: 200, excess: 100 } }) ?? "", /more than its limits/);
  assertMatch(doubt({ cost: 0 }) ?? "", /at no cost/);
  const silent = { inputTokens: 0, outputTokens: 0 };
  assertMatch(doubt({ cost: 0, end: { ...silent, firstTextMs: 4 } }) ?? "", /at no cost/);
  assertMatch(doubt({ cost: 0, end: { ...silent, toolCalls: 1 } }) ?? "", /at no cost/);
});
