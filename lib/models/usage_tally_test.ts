import { assertEquals } from "@std/assert";
import { UsageTally } from "./usage_tally.ts";

const tally = () => new UsageTally({ requestBytes: 101, maxOutputTokens: 100 });

Deno.test("UsageTally: a vendor's last word counts", () => {
  const one = tally();
  one.report({ inputTokens: 7, outputTokens: 1 });
  one.report({ outputTokens: 9, cachedInputTokens: 3 });
  assertEquals(one.total(true), { inputTokens: 7, outputTokens: 9, cachedInputTokens: 3 });
});

Deno.test("UsageTally: of an answer that broke off, the larger of said and seen counts", () => {
  const one = tally();
  one.report({ inputTokens: 7, outputTokens: 1 });
  one.saw("x".repeat(30));
  assertEquals(one.total(false), { inputTokens: 7, outputTokens: 15, estimated: true });
  one.report({ outputTokens: 40 });
  assertEquals(one.total(false).outputTokens, 40);
});

Deno.test("UsageTally: what nobody said is estimated from UTF-8 bytes, rounded up", () => {
  for (const [text, bytes] of [["abc", 3], ["äö", 4], ["東京", 6], ["🗼", 4], ["", 0]] as const) {
    const one = tally();
    one.saw(text);
    const total = one.total(true);
    assertEquals([total.inputTokens, total.outputTokens], [51, Math.ceil(bytes / 2)], text);
    assertEquals(total.estimated, true);
  }
});

Deno.test("UsageTally: a count that is none is as good as unsaid", () => {
  for (const nonsense of [-1, 1.5, NaN, Infinity, 1e9 + 1, 2 ** 60, "7", null, {}, []]) {
    const one = tally();
    one.report({ inputTokens: nonsense, outputTokens: nonsense, reasoningTokens: nonsense });
    assertEquals(one.total(true), { inputTokens: 51, outputTokens: 0, estimated: true });
  }
});

Deno.test("UsageTally: an estimate of what was read stays below what could be", () => {
  const bound = new UsageTally({ requestBytes: 101, maxOutputTokens: 100, inputBound: 20 });
  assertEquals(bound.total(true).inputTokens, 20);
  bound.report({ inputTokens: 70 });
  assertEquals(bound.total(true).inputTokens, 70);
});
