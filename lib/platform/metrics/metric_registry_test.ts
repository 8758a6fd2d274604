import { assertEquals } from "@std/assert";
import { formatMetrics } from "./format_metrics.ts";
import { mergeFamilies, withLabels } from "./metric_family.ts";
import { MetricRegistry } from "./metric_registry.ts";

Deno.test("MetricRegistry: a counter adds up by labels, and one without labels begins at 0", async () => {
  const registry = new MetricRegistry();
  const runs = registry.counter({ name: "runs", help: "Runs.", labels: ["end"] });
  registry.counter({ name: "steps", help: "Steps." });
  runs.add({ end: "stop" });
  runs.add({ end: "error" }, 2);
  runs.add({ end: "stop" }, 3);
  assertEquals(
    formatMetrics(await registry.collect()),
    `# HELP runs_total Runs.
# TYPE runs_total counter
runs_total{end="stop"} 4
runs_total{end="error"} 2
# HELP steps_total Steps.
# TYPE steps_total counter
steps_total 0
`,
  );
});

Deno.test("MetricRegistry: micro-USD are added up as integers, so that no fraction is lost", async () => {
  const registry = new MetricRegistry();
  const cost = registry.counter({ name: "cost_usd", help: "Money.", divisor: 1_000_000 });
  for (let n = 0; n < 1_000; n++) cost.add({}, 100_001);
  const [family] = await registry.collect();
  assertEquals(family!.samples[0]!.value, 100.001);
});

Deno.test("MetricRegistry: a histogram is cumulative, and a value on a bound belongs to its bucket", async () => {
  const registry = new MetricRegistry();
  const seconds = registry.histogram({ name: "t_seconds", help: "T.", buckets: [0.5, 1] });
  for (const value of [0.25, 0.5, 1, 7]) seconds.observe({}, value);
  assertEquals(
    formatMetrics(await registry.collect(), "openmetrics"),
    `# HELP t_seconds T.
# TYPE t_seconds histogram
t_seconds_bucket{le="0.5"} 2
t_seconds_bucket{le="1.0"} 3
t_seconds_bucket{le="+Inf"} 4
t_seconds_sum 8.75
t_seconds_count 4
# EOF
`,
  );
});

Deno.test("MetricRegistry: series beyond the maximum are counted together", async () => {
  const registry = new MetricRegistry();
  const models = registry.counter({ name: "n", help: "N.", labels: ["a", "b"], maxSeries: 2 });
  for (let n = 0; n < 10; n++) models.add({ a: `${n}`, b: "x" });
  const [family] = await registry.collect();
  const values = family!.samples.map(({ labels, value }) => [labels.a, labels.b, value]);
  assertEquals(values, [["0", "x", 1], ["1", "x", 1], ["other", "other", 8]]);
});

Deno.test("MetricRegistry: a gauge is read when metrics are collected, and may have no value", async () => {
  const registry = new MetricRegistry();
  const backups: number[] = [];
  registry.gauge({ name: "backup", help: "B.", read: () => backups[0] });
  assertEquals((await registry.collect())[0]!.samples, []);
  backups.push(5);
  assertEquals((await registry.collect())[0]!.samples, [{ suffix: "", labels: {}, value: 5 }]);
});

Deno.test("formatMetrics: escapes what a label or a help text may contain", () => {
  const sample = { suffix: "" as const, labels: { model: 'a"b\\c\nd' }, value: Infinity };
  const family = { name: "m", help: 'x\\y "z"\nw', type: "gauge" as const, samples: [sample] };
  assertEquals(
    formatMetrics([family]),
    '# HELP m x\\\\y "z"\\nw\n# TYPE m gauge\nm{model="a\\"b\\\\c\\nd"} +Inf\n',
  );
});

Deno.test("mergeFamilies: samples of processes are one metric, with a label for each process", () => {
  const family = (value: number) => ({
    ...{ name: "m", help: "M.", type: "gauge" as const },
    samples: [{ suffix: "" as const, labels: { a: "1" }, value }],
  });
  const parts = [5, 6].map((value, n) => withLabels([family(value)], { process: `${n + 1}` }));
  assertEquals(
    formatMetrics(mergeFamilies(parts)),
    '# HELP m M.\n# TYPE m gauge\nm{process="1",a="1"} 5\nm{process="2",a="1"} 6\n',
  );
});
