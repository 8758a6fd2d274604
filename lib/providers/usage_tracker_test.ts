import { assertEquals } from "@std/assert";
import { UsageTracker } from "./usage_tracker.ts";

const now = () => 0;
const tally = () => new UsageTracker({ requestBytes: 101, maxOutputTokens: 100, now });

Deno.test("UsageTracker: the last reported count wins", () => {
  const one = tally();
  one.report({ inputTokens: 7, outputTokens: 1 });
  one.report({ outputTokens: 9, cachedInputTokens: 3 });
  assertEquals(one.total(true), { inputTokens: 7, outputTokens: 9, cachedInputTokens: 3 });
});

Deno.test("UsageTracker: a broken response counts the larger of reported and received output", () => {
  const one = tally();
  one.report({ inputTokens: 7, outputTokens: 1 });
  one.countText("x".repeat(30));
  assertEquals(one.total(false), { inputTokens: 7, outputTokens: 15, estimated: true });
  one.report({ outputTokens: 40 });
  assertEquals(one.total(false).outputTokens, 40);
});

Deno.test("UsageTracker: missing counts are estimated from UTF-8 bytes, rounded up", () => {
  for (const [text, bytes] of [["abc", 3], ["äö", 4], ["東京", 6], ["🗼", 4], ["", 0]] as const) {
    const one = tally();
    one.countText(text);
    const total = one.total(true);
    assertEquals([total.inputTokens, total.outputTokens], [51, Math.ceil(bytes / 2)], text);
    assertEquals(total.estimated, true);
  }
});

Deno.test("UsageTracker: an invalid count is ignored", () => {
  for (const nonsense of [-1, 1.5, NaN, Infinity, 1e9 + 1, 2 ** 60, "7", null, {}, []]) {
    const one = tally();
    one.report({ inputTokens: nonsense, outputTokens: nonsense, reasoningTokens: nonsense });
    assertEquals(one.total(true), { inputTokens: 51, outputTokens: 0, estimated: true });
  }
});

Deno.test("UsageTracker: an input estimate stays below its upper bound", () => {
  const bound = new UsageTracker({
    requestBytes: 101,
    maxOutputTokens: 100,
    maxInputTokens: 20,
    now,
  });
  assertEquals(bound.total(true).inputTokens, 20);
  bound.report({ inputTokens: 70 });
  assertEquals(bound.total(true).inputTokens, 70);
});

/** A tally on a clock that the test moves, of an answer that may hold 5,000 tokens. */
function clocked({ reasons = false } = {}) {
  let time = 1_000;
  let seen = 0;
  const one = new UsageTracker({
    requestBytes: 10,
    maxOutputTokens: 5_000,
    now: () => time,
    reasons,
    onReasoning: () => seen++,
  });
  return {
    one,
    wait: (ms: number) => time += ms,
    output: (whole = false) => one.total(whole).outputTokens,
    begins: () => one.onResponseStart(time),
    isReasoner: () => seen > 0,
  };
}

Deno.test("UsageTracker: silence before the output of a broken response counts 100 tokens per second after two seconds", () => {
  const { output, wait, begins } = clocked();
  wait(60_000);
  assertEquals(output(), 0, "no output yet");
  begins();
  for (
    const [ms, tokens] of [[1_999, 0], [1, 0], [1, 1], [9_999, 1_000], [90_000, 5_000]] as const
  ) {
    wait(ms);
    assertEquals(output(), tokens, `after ${ms} ms more`);
  }
  assertEquals(output(true), 0, "a whole answer was not silent");
});

Deno.test("UsageTracker: the first text or call ends the silence", () => {
  for (const speak of ["countText", "onFirstOutput"] as const) {
    const { one, output, wait, begins } = clocked();
    begins();
    wait(12_000);
    one[speak]("word");
    wait(50_000);
    assertEquals(output(), 1_000 + (speak === "countText" ? 2 : 0));
    assertEquals(output(true), speak === "countText" ? 2 : 0);
  }
});

Deno.test("UsageTracker: received reasoning counts if it exceeds the estimate for silence", () => {
  const { one, output, wait, begins } = clocked();
  begins();
  wait(3_000);
  one.countReasoning("x".repeat(100));
  assertEquals(output(), 100);
  one.countReasoning("x".repeat(200));
  assertEquals(output(), 150);
  one.countText("x".repeat(20));
  assertEquals([output(), output(true)], [160, 160]);
});

Deno.test("UsageTracker: reported reasoning is not estimated again", () => {
  const { one, output, wait, begins } = clocked();
  begins();
  wait(32_000);
  one.report({ outputTokens: 700, reasoningTokens: 690 });
  one.countText("word");
  assertEquals(output(), 700);
  // A repeated count confirms nothing.
  const silent = clocked();
  silent.begins();
  silent.one.report({ outputTokens: 1 });
  silent.wait(10_000);
  silent.one.report({ outputTokens: 1 });
  silent.wait(2_000);
  assertEquals(silent.output(), 1_000);
});

Deno.test("UsageTracker: a known reasoning model is charged from the request on", () => {
  const { output, wait, begins } = clocked({ reasons: true });
  wait(7_000);
  assertEquals(output(), 500);
  begins();
  assertEquals(output(), 500);
});

Deno.test("UsageTracker: a model is known to reason by hidden output or a reported count", () => {
  const [silent, hidden, counted] = [clocked(), clocked(), clocked()];
  silent.one.report({ outputTokens: 5, reasoningTokens: 0 });
  hidden.one.countReasoning("Hm");
  counted.one.report({ reasoningTokens: 1 });
  assertEquals([silent, hidden, counted].map((one) => one.isReasoner()), [false, true, true]);
});
