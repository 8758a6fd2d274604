import { assert } from "@std/assert";

export interface ScrapedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Metrics in Prometheus's text format. Every line must be valid, and each series unique. */
export class ScrapedMetrics {
  readonly samples: ScrapedSample[] = [];
  /** The type of each metric. */
  readonly types = new Map<string, string>();

  constructor(text: string) {
    const series = new Set<string>();
    for (const line of text.trimEnd().split("\n")) {
      const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line);
      if (type !== null) this.types.set(type[1]!, type[2]!);
      else if (!/^# HELP [a-z_]+ \S/.test(line)) {
        const sample = parseSample(line);
        const name = JSON.stringify([sample.name, sample.labels]);
        assert(!series.has(name), `twice: ${line}`);
        series.add(name);
        this.samples.push(sample);
      }
    }
  }

  /** The sum of a metric over all series with these labels. */
  sum(name: string, labels: Record<string, string> = {}): number {
    const all = this.samples.filter((sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
    );
    return all.reduce((sum, { value }) => sum + value, 0);
  }

  /** The sum of a metric by the values of a label. */
  sumBy(name: string, label: string): Record<string, number> {
    const named = this.samples.filter((sample) => sample.name === name);
    const values = new Set(named.map(({ labels }) => labels[label] ?? ""));
    return Object.fromEntries(
      [...values].sort().map((value) => [
        value,
        this.sum(name, { [label]: value }),
      ]),
    );
  }
}

function parseSample(line: string): ScrapedSample {
  const [, name, , list = "", value] =
    /^([a-z_]+)(\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)+)\})? (\S+)$/.exec(line) ?? [];
  assert(name !== undefined && value !== undefined, `not a sample: ${line}`);
  const pairs = [...list.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
  const labels = Object.fromEntries(pairs.map(([, label, text]) => [label, text!]));
  const number = value === "+Inf" ? Infinity : Number(value);
  assert(!Number.isNaN(number), `not a number: ${line}`);
  return { name, labels, value: number };
}
