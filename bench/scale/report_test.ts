import { assertEquals } from "@std/assert";
import { judge } from "./goals.ts";
import { type LegResult, percentile } from "./leg.ts";
import { countStatus, middle, ratio, row } from "./report.ts";

function leg(change: Partial<LegResult>): LegResult {
  return {
    perSecond: 100,
    p50: 5,
    p99: 50,
    cpuMsAChat: 2,
    commitsAChat: 0.5,
    callsAChat: 1,
    conflicts: 0.1,
    rejected: {},
    broken: 0,
    ...change,
  };
}

function rounds(pairs: readonly (readonly [Partial<LegResult>, Partial<LegResult>])[]) {
  return pairs.map(([one, two]) => new Map([[1, leg(one)], [2, leg(two)]]));
}

Deno.test("percentile: returns the value at the given share of the sorted values", () => {
  const values = [30, 10, 20, 50, 40];
  assertEquals([0, 0.5, 1].map((share) => percentile(values, share)), [10, 30, 50]);
  assertEquals(percentile([], 0.5), 0);
});

Deno.test("middle: returns the mean of the two middle values of an even count", () => {
  assertEquals([middle([3, 1, 2]), middle([4, 1, 3, 2]), middle([])], [2, 2.5, 0]);
});

Deno.test("ratio: returns the median of each round's own ratio, not the ratio of medians", () => {
  const of = rounds([
    [{ perSecond: 100 }, { perSecond: 90 }],
    [{ perSecond: 10 }, { perSecond: 8 }],
    [{ perSecond: 50 }, { perSecond: 50 }],
  ]);
  assertEquals(ratio(of, { of: "perSecond", size: 2 }), 0.9);
});

Deno.test("row: shows a dash for what was not counted and adds up rejections", () => {
  const of = rounds([
    [{}, { conflicts: undefined, rejected: { 429: 2, 503: 1, 500: 3 }, broken: 1 }],
    [{}, { conflicts: undefined, rejected: { 503: 4 } }],
  ]);
  assertEquals(countStatus(of, { size: 2, status: 503 }), 5);
  assertEquals(row("hot", { rounds: of, size: 2 }).slice(7), ["-", "2", "5", "4", "1.00 x"]);
});

Deno.test("judge: with enough cores it requires speed, otherwise low CPU and few conflicts", () => {
  const of = { name: "8 tenants", tenants: 8, isOverLimit: false };
  const slower = rounds([[{}, { perSecond: 120, cpuMsAChat: 2.2, conflicts: 0.04 }]]);
  const contested = rounds([[{}, { perSecond: 120, cpuMsAChat: 2.2, conflicts: 0.06 }]]);
  const firstWord = (rounds: typeof slower, cores: number) =>
    judge([{ ...of, rounds }], cores)[0]!.split(" ")[0];
  assertEquals(firstWord(slower, 8), "FAILS");
  assertEquals(firstWord(slower, 2), "holds");
  assertEquals(firstWord(contested, 2), "FAILS");
});

Deno.test("judge: one tenant on two processes requires nine tenths of the speed, and no 503", () => {
  const of = { name: "hot", tenants: 1, isOverLimit: false };
  const words = (pair: Partial<LegResult>) =>
    judge([{ ...of, rounds: rounds([[{}, pair]]) }], 2).map((line) => line.split(" ")[0]);
  assertEquals(words({ perSecond: 90 }), ["holds", "holds"]);
  assertEquals(words({ perSecond: 89 }), ["FAILS", "holds"]);
  assertEquals(words({ perSecond: 90, rejected: { 503: 1 } }), ["holds", "FAILS"]);
});
