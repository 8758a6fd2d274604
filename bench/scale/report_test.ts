import { assertEquals } from "@std/assert";
import { judge } from "./goals.ts";
import { type LegResult, percentile } from "./leg.ts";
import { middle, ratio, refusals, row } from "./report.ts";

function leg(change: Partial<LegResult>): LegResult {
  return {
    perSecond: 100,
    p50: 5,
    p99: 50,
    cpuMsAChat: 2,
    commitsAChat: 0.5,
    callsAChat: 1,
    conflicts: 0.1,
    refused: {},
    broken: 0,
    ...change,
  };
}

function rounds(pairs: readonly (readonly [Partial<LegResult>, Partial<LegResult>])[]) {
  return pairs.map(([one, two]) => new Map([[1, leg(one)], [2, leg(two)]]));
}

Deno.test("percentile: is the value at that share of the sorted values", () => {
  const values = [30, 10, 20, 50, 40];
  assertEquals([0, 0.5, 1].map((share) => percentile(values, share)), [10, 30, 50]);
  assertEquals(percentile([], 0.5), 0);
});

Deno.test("middle: is the mean of the two middle values of an even number", () => {
  assertEquals([middle([3, 1, 2]), middle([4, 1, 3, 2]), middle([])], [2, 2.5, 0]);
});

Deno.test("ratio: is the median of each round's own ratio, not the ratio of medians", () => {
  const of = rounds([
    [{ perSecond: 100 }, { perSecond: 90 }],
    [{ perSecond: 10 }, { perSecond: 8 }],
    [{ perSecond: 50 }, { perSecond: 50 }],
  ]);
  assertEquals(ratio(of, { of: "perSecond", size: 2 }), 0.9);
});

Deno.test("row: shows what was not counted as a dash and adds up refusals", () => {
  const of = rounds([
    [{}, { conflicts: undefined, refused: { 429: 2, 503: 1, 500: 3 }, broken: 1 }],
    [{}, { conflicts: undefined, refused: { 503: 4 } }],
  ]);
  assertEquals(refusals(of, { size: 2, status: 503 }), 5);
  assertEquals(row("hot", { rounds: of, size: 2 }).slice(7), ["-", "2", "5", "4", "1.00 x"]);
});

Deno.test("judge: asks for speed where there are cores, else for CPU and conflicts", () => {
  const of = { name: "8 tenants", tenants: 8, refuses: false };
  const slower = rounds([[{}, { perSecond: 120, cpuMsAChat: 2.2, conflicts: 0.04 }]]);
  const contested = rounds([[{}, { perSecond: 120, cpuMsAChat: 2.2, conflicts: 0.06 }]]);
  const firstWord = (rounds: typeof slower, cores: number) =>
    judge([{ ...of, rounds }], cores)[0]!.split(" ")[0];
  assertEquals(firstWord(slower, 8), "FAILS");
  assertEquals(firstWord(slower, 2), "holds");
  assertEquals(firstWord(contested, 2), "FAILS");
});

Deno.test("judge: one tenant on two processes is nine tenths as fast, and never a 503", () => {
  const of = { name: "hot", tenants: 1, refuses: false };
  const words = (pair: Partial<LegResult>) =>
    judge([{ ...of, rounds: rounds([[{}, pair]]) }], 2).map((line) => line.split(" ")[0]);
  assertEquals(words({ perSecond: 90 }), ["holds", "holds"]);
  assertEquals(words({ perSecond: 89 }), ["FAILS", "holds"]);
  assertEquals(words({ perSecond: 90, refused: { 503: 1 } }), ["holds", "FAILS"]);
});
