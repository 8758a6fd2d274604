import { assertEquals } from "@std/assert";
import { feedbackTrend, percentUp } from "./feedback_trend.ts";

Deno.test("feedbackTrend: the share of each day, with days without ratings", () => {
  const range = { from: "2026-01-30", to: "2026-02-02" };
  const trend = feedbackTrend(range, [
    { day: "2026-01-30", up: 2, down: 1 },
    { day: "2026-02-01", up: 0, down: 4 },
  ]);
  assertEquals(trend.sum, { up: 2, down: 5 });
  assertEquals(trend.bars.map(({ label, values }) => [label, ...values]), [
    ["Jan 30", 67],
    ["Jan 31", 0],
    ["Feb 1", 0],
    ["Feb 2", 0],
  ]);
  assertEquals(trend.days.map(({ day }) => day.slice(8)), ["02", "01", "31", "30"]);
  assertEquals(trend.days.map(percentUp), [undefined, 0, undefined, 67]);
});
