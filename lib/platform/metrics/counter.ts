import type { MetricFamily } from "./metric_family.ts";
import { type LabelValues, SeriesMap } from "./series_map.ts";

export interface MetricOptions<L extends string> {
  name: string;
  help: string;
  labels?: readonly L[];
  /** 1,000 by default; what is beyond counts as `other`. */
  maxSeries?: number;
}

export interface CounterOptions<L extends string> extends MetricOptions<L> {
  /** Divides what was added, so that integers are added up exactly: 1,000,000 for micro-USD. */
  divisor?: number;
}

/** Only grows while the process lives. */
export class Counter<L extends string = never> {
  readonly #options: CounterOptions<L>;
  readonly #series: SeriesMap<L, { sum: number }>;

  constructor(options: CounterOptions<L>) {
    this.#options = options;
    const { labels = [], maxSeries } = options;
    this.#series = new SeriesMap({ labels, maxSeries, create: () => ({ sum: 0 }) });
  }

  add(labels: LabelValues<L>, amount = 1): void {
    this.#series.get(labels).sum += amount;
  }

  collect(): MetricFamily {
    const { name, help, divisor = 1 } = this.#options;
    const samples = [...this.#series.values()].map(({ labels, series }) => ({
      ...{ suffix: "_total" as const, labels, value: series.sum / divisor },
    }));
    return { name, help, type: "counter", samples };
  }
}
