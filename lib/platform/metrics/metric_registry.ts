import { Counter, type CounterOptions, type MetricOptions } from "./counter.ts";
import { Histogram, type HistogramOptions } from "./histogram.ts";
import type { Labels, MetricFamily } from "./metric_family.ts";

/** A gauge is read when metrics are collected; `undefined` leaves it without a sample. */
export interface GaugeOptions extends Pick<MetricOptions<never>, "name" | "help"> {
  read: () => GaugeValue | Promise<GaugeValue>;
  /** The value is a sum over the life of the process, which another part keeps. */
  isCounter?: boolean;
}

export type GaugeValue = number | undefined | readonly { labels: Labels; value: number }[];

interface Collector {
  collect(): MetricFamily | Promise<MetricFamily>;
}

/** The metrics of one process. */
export class MetricRegistry {
  readonly #collectors: Collector[] = [];

  counter<const L extends string = never>(options: CounterOptions<L>): Counter<L> {
    return this.#add(new Counter(options));
  }

  histogram<const L extends string = never>(options: HistogramOptions<L>): Histogram<L> {
    return this.#add(new Histogram(options));
  }

  gauge(options: GaugeOptions): void {
    this.#add({ collect: async () => toFamily(options, await options.read()) });
  }

  async collect(): Promise<MetricFamily[]> {
    return await Promise.all(this.#collectors.map((one) => one.collect()));
  }

  #add<T extends Collector>(collector: T): T {
    this.#collectors.push(collector);
    return collector;
  }
}

function toFamily(
  { name, help, isCounter = false }: GaugeOptions,
  value: GaugeValue,
): MetricFamily {
  const suffix = isCounter ? "_total" as const : "" as const;
  const values = typeof value === "number" ? [{ labels: {}, value }] : value ?? [];
  const samples = values.map((one) => ({ ...one, suffix }));
  return { name, help, type: isCounter ? "counter" : "gauge", samples };
}
