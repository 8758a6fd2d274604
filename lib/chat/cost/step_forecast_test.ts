import { assertEquals } from "@std/assert";
import { StepForecast, type StepState } from "./step_forecast.ts";

/** Checks a step; an answer costs one micro-USD per token of its prompt. */
function check(
  forecast: StepForecast,
  { cost = Infinity, ms, ...state }: Partial<StepState> & { cost?: number; ms?: number },
) {
  const at = { spent: 0, inputTokens: 100, now: 0, ...state };
  return forecast.check(at, { cost, ms, answerCost: (inputTokens) => inputTokens });
}

Deno.test("StepForecast: the first step is compared with nothing", () => {
  assertEquals(check(new StepForecast(), { cost: 1, ms: 1 }), undefined);
});

Deno.test("StepForecast: money must pay for a step like the dearest one, and for an answer", () => {
  // The steps cost 50 and 20, and add 30 and 10 tokens: another one and an answer need 50 + 170.
  for (const [cost, limit] of [[220, undefined], [219, "max_cost"]] as const) {
    const forecast = new StepForecast();
    check(forecast, {});
    check(forecast, { spent: 50, inputTokens: 130 });
    assertEquals(check(forecast, { spent: 70, inputTokens: 140, cost }), limit);
  }
});

Deno.test("StepForecast: time must last for three rounds like the slowest one", () => {
  for (const [ms, limit] of [[9_000, undefined], [8_999, "timeout"]] as const) {
    const forecast = new StepForecast();
    check(forecast, {});
    check(forecast, { now: 3_000 });
    assertEquals(check(forecast, { now: 4_000, ms }), limit);
  }
});

Deno.test("StepForecast: a clock that is set back makes no step slow", () => {
  const forecast = new StepForecast();
  check(forecast, { now: 5_000 });
  assertEquals(check(forecast, { now: 1_000, ms: 1 }), undefined);
});

Deno.test("StepForecast: the time of earlier questions in a step is not that of an answer", () => {
  const forecast = new StepForecast();
  check(forecast, { now: 1_000 });
  assertEquals(forecast.answerMs(3_000), 4_000);
  assertEquals(forecast.answerMs(30_000), 4_000);
  check(forecast, { now: 31_000 });
  assertEquals(forecast.answerMs(34_000), 6_000);
});
