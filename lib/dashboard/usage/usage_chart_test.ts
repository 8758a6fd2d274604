import { assertEquals } from "@std/assert";
import { addUsageRow, emptyTotals } from "../../billing/usage_totals.ts";
import { usageChart } from "./usage_chart.ts";
import { readUsageQuery } from "./usage_query.ts";
import { sumTotals } from "../../billing/usage_totals.ts";

const TODAY = "2026-01-15";

function usageOf(agents: Record<string, number>, day: string) {
  const totals = emptyTotals();
  for (const [agentId, cost] of Object.entries(agents)) {
    const usage = { runs: 1, failed: 0, inputTokens: 2, outputTokens: 3, cost };
    addUsageRow(totals, { day, agentId, source: "sessions", models: { "vendor_a/m": usage } });
  }
  return totals;
}

function chartOf(search: string, days: Record<string, Record<string, number>>) {
  const query = readUsageQuery(new URL(`https://x/usage?${search}`), TODAY);
  const parts = Object.entries(days).map(([day, agents]) => ({
    day,
    totals: usageOf(agents, day),
  }));
  const ids = [...new Set(Object.values(days).flatMap((agents) => Object.keys(agents)))];
  const rows = ids.map((id) => {
    const usage = sumTotals(
      new Map(
        parts.map(({ day, totals }) => [day, totals.agent.get(id)!])
          .filter(([, usage]) => usage !== undefined) as [string, never][],
      ),
    );
    return { id, name: `Agent ${id}`, usage };
  });
  const before = usageOf({ a: 7 }, "2026-01-08");
  return usageChart(query, { days: parts, before, rows });
}

Deno.test("usageChart: seven days by agent, with days without usage and the days before", () => {
  const chart = chartOf("days=7&by=agent", {
    "2026-01-14": { a: 10, b: 20 },
    "2026-01-15": { b: 5 },
  });
  assertEquals(chart.series, ["Agent a", "Agent b"]);
  assertEquals(chart.bars.map(({ values }) => values).slice(-2), [[10, 20], [0, 5]]);
  assertEquals(chart.bars.length, 7);
  assertEquals(chart.bars[0]?.values, [0, 0]);
  assertEquals(chart.bars.map(({ before }) => before), [0, 0, 0, 0, 0, 0, 7]);
  assertEquals(chart.bars.at(-1)?.label, "Jan 15");
});

Deno.test("usageChart: the total alone, of the chosen metric", () => {
  const days = { "2026-01-15": { a: 10, b: 20 } };
  const of = (search: string) => chartOf(`days=7&${search}`, days).bars.at(-1)?.values;
  assertEquals(of("metric=cost"), [30]);
  assertEquals(of("metric=runs"), [2]);
  assertEquals(of("metric=tokens"), [10]);
  assertEquals(of("metric=unknown"), [30]);
});

Deno.test("usageChart: groups beyond the sixth share a part, and no cost is lost", () => {
  const agents = Object.fromEntries([..."abcdefgh"].map((id, n) => [id, 100 - n]));
  const { series, bars } = chartOf("days=7&by=agent", { "2026-01-15": agents });
  assertEquals(series.slice(-2), ["Agent f", "Other"]);
  const values = bars.at(-1)!.values;
  assertEquals(values.length, 7);
  assertEquals(values.reduce((all, one) => all + one, 0), 772);
  assertEquals(values.at(-1), 94 + 93);
});

Deno.test("usageChart: a long period is shown by week, the last one perhaps shorter", () => {
  const chart = chartOf("from=2025-10-01&to=2026-01-09", {
    "2025-10-01": { a: 1 },
    "2025-10-07": { a: 2 },
    "2025-10-08": { a: 4 },
  });
  assertEquals(chart.isWeekly, true);
  assertEquals(chart.bars.length, 15);
  assertEquals(chart.bars.slice(0, 2).map(({ values }) => values), [[3], [4]]);
  assertEquals(chart.bars[0]?.label, "Oct 1 – 7");
  assertEquals(chart.bars.at(-1)?.label, "Jan 7 – 9");
});
