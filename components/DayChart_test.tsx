import { assert, assertEquals } from "@std/assert";
import { renderToString } from "preact-render-to-string";
import { DayChart, type DayChartProps } from "./DayChart.tsx";
import {
  formatCompact,
  formatMicroUsd,
  microUsdAxisFormat,
} from "../lib/dashboard/format_amount.ts";

/** The words of the axis, from its foot up. */
function axisOf(
  values: readonly number[],
  format: (value: number) => string,
  axis?: (step: number) => (value: number) => string,
): string[] {
  const html = drawn(values, { format, ...axis && { axis } });
  return [...html.matchAll(/class="chart-tick">.*?<text[^>]*>([^<]*)</g)].map(([, text]) => text!);
}

function drawn(
  values: readonly number[],
  format: Pick<DayChartProps, "format" | "axis">,
): string {
  const days = values.map((value, i) => ({ day: `2026-01-0${i + 1}`, value }));
  return renderToString(<DayChart title="Cost" sum="" days={days} {...format} />);
}

Deno.test("DayChart: an axis shows each value once, and no impossible ones", () => {
  assertEquals(axisOf([0, 0], formatMicroUsd, microUsdAxisFormat), ["$0"]);
  assertEquals(axisOf([0, 1], formatCompact), ["0", "1"]);
  assertEquals(axisOf([0, 60], formatMicroUsd), ["$0.00", "&lt; $0.0001"]);
});

Deno.test("DayChart: an axis of money has the digits that its step needs, on every line alike", () => {
  const axis = (most: number) => axisOf([0, most], formatMicroUsd, microUsdAxisFormat);
  assertEquals(axis(60), ["$0", "$0.00002", "$0.00004", "$0.00006"]);
  assertEquals(axis(300), ["$0", "$0.0001", "$0.0002", "$0.0003"]);
  assertEquals(axis(150_000), ["$0", "$0.05", "$0.10", "$0.15"]);
  assertEquals(axis(15_000_000), ["$0", "$5.00", "$10.00", "$15.00"]);
});

Deno.test("DayChart: the longest word of an axis has room before its line", () => {
  for (const most of [60, 300, 15_000_000, 12_000_000_000]) {
    const html = drawn([0, most], { format: formatMicroUsd, axis: microUsdAxisFormat });
    for (
      const [, x, word] of html.matchAll(/class="chart-tick">.*?<text x="([\d.]+)"[^>]*>([^<]*)</g)
    ) {
      // A digit of the fonts in use is at most 0.58 em wide, and the text 11 px high.
      assert(Number(x) >= word!.length * 6.4, `${word} at ${x}`);
    }
  }
});
