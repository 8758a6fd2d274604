import { assertEquals } from "@std/assert";
import { renderToString } from "preact-render-to-string";
import { DayChart } from "./DayChart.tsx";
import { formatCompact, formatMicroUsd } from "./format_amount.ts";

/** The words of the axis, from its foot up. */
function axisOf(values: readonly number[], format: (value: number) => string): string[] {
  const days = values.map((value, i) => ({ day: `2026-01-0${i + 1}`, value }));
  const html = renderToString(<DayChart title="Cost" sum="" days={days} format={format} />);
  return [...html.matchAll(/class="chart-tick">.*?<text[^>]*>([^<]*)</g)].map(([, text]) => text!);
}

Deno.test("DayChart: an axis tells each value once, and none that cannot be", () => {
  assertEquals(axisOf([0, 0], formatMicroUsd), ["$0.00"]);
  assertEquals(axisOf([0, 1], formatCompact), ["0", "1"]);
  assertEquals(axisOf([0, 60], formatMicroUsd), ["$0.00", "&lt; $0.0001"]);
  assertEquals(axisOf([0, 30_000], formatMicroUsd), ["$0.00", "$0.0100", "$0.0200", "$0.0300"]);
});
