import { assert, assertEquals } from "@std/assert";
import { formatCompact, formatMicroUsd, microUsdAxisFormat } from "../format_amount.ts";
import { type BarChartScale, layOutBars } from "./bar_layout.ts";

function layOut(values: readonly number[][], rest: Partial<BarChartScale> = {}) {
  const bars = values.map((parts) => ({ label: "", values: parts }));
  return layOutBars({ bars, height: 200, format: formatCompact, ...rest });
}

/** The labels of the axis, from its foot up. */
function axisOf(
  highest: number,
  format: (value: number) => string,
  axis?: (step: number) => (value: number) => string,
): string[] {
  return layOut([[0], [highest]], { format, axis }).ticks.map(({ text }) => text);
}

Deno.test("layOutBars: an axis shows each value once, and no impossible ones", () => {
  assertEquals(axisOf(0, formatMicroUsd, microUsdAxisFormat), ["$0"]);
  assertEquals(axisOf(1, formatCompact), ["0", "1"]);
  assertEquals(axisOf(60, formatMicroUsd), ["$0.00", "< $0.0001"]);
});

Deno.test("layOutBars: an axis of money has the digits that its step needs, on every line alike", () => {
  const axis = (most: number) => axisOf(most, formatMicroUsd, microUsdAxisFormat);
  assertEquals(axis(60), ["$0", "$0.00002", "$0.00004", "$0.00006"]);
  assertEquals(axis(150_000), ["$0", "$0.05", "$0.10", "$0.15"]);
  assertEquals(axis(15_000_000), ["$0", "$5.00", "$10.00", "$15.00"]);
});

Deno.test("layOutBars: the parts of a bar stand on one another, and the bars fill the width", () => {
  const { bars } = layOut([[10, 30, 0], [0, 0, 0], [20, 0, 20]]);
  const [first, none, last] = bars;
  assertEquals(first!.segments.map(({ series }) => series), [0, 1]);
  const [foot, top] = first!.segments;
  assertEquals(foot!.y + foot!.height, 200);
  assertEquals(top!.y + top!.height, foot!.y);
  assertEquals(Math.round(top!.height / foot!.height), 3);
  assertEquals(none!.segments, []);
  assertEquals(last!.segments.map(({ series }) => series), [0, 2]);
  assertEquals([bars[0]!.left, bars[2]!.right], [0, 100]);
  for (const { left, right, x, width } of bars) assert(left < x && x + width < right);
});

Deno.test("layOutBars: a tiny value is still visible, and the highest one fits", () => {
  const { bars, ticks } = layOut([[1], [1_000_000]]);
  assertEquals(bars[0]!.segments[0]!.height, 1.5);
  assert(bars[1]!.segments[0]!.y >= 8);
  assertEquals(ticks.at(-1)!.y, 8);
});

Deno.test("layOutBars: the period before has its height, even above all bars", () => {
  const bars = [{ label: "", values: [5], before: 50 }, { label: "", values: [10], before: 0 }];
  const { bars: [high, none] } = layOutBars({ bars, height: 200, format: formatCompact });
  assert(high!.beforeY! >= 8 && high!.beforeY! < high!.segments[0]!.y);
  assertEquals(none!.beforeY, 200);
});

Deno.test("layOutBars: a limit is drawn only near the bars, which it never flattens", () => {
  assert(layOut([[10]], { limit: 12 }).limitY! >= 8);
  assert(layOut([[10]], { limit: 5 }).limitY! >= 8);
  assertEquals(layOut([[10]], { limit: 21 }).limitY, undefined);
  assertEquals(layOut([[10]]).limitY, undefined);
  assertEquals(layOut([[10]], { limit: 21 }).bars, layOut([[10]]).bars);
});
