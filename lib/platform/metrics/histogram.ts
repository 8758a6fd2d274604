import type { MetricFamily, Sample } from "./metric_family.ts";
import type { MetricOptions } from "./counter.ts";
import { type LabelValues, SeriesMap } from "./series_map.ts";

export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds, ascending; a last one without bound is added. */
  buckets: readonly number[];
}

interface HistogramSeries {
  /** By bucket; not cumulative. */
  counts: number[];
  sum: number;
}

/** Counts observations by size. */
export class Histogram<L extends string = never> {
  readonly #options: HistogramOptions<L>;
  readonly #series: SeriesMap<L, HistogramSeries>;

  constructor(options: HistogramOptions<L>) {
    this.#options = options;
    const { labels = [], maxSeries, buckets } = options;
    const create = () => ({ counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 });
    this.#series = new SeriesMap({ labels, maxSeries, create });
  }

  observe(labels: LabelValues<L>, value: number): void {
    const { buckets } = this.#options;
    const series = this.#series.get(labels);
    let at = 0;
    while (at < buckets.length && value > buckets[at]!) at++;
    series.counts[at]!++;
    series.sum += value;
  }

  collect(): MetricFamily {
    const { name, help } = this.#options;
    const samples = [...this.#series.values()].flatMap((one) => this.#samplesOf(one));
    return { name, help, type: "histogram", samples };
  }

  #samplesOf({ labels, series: { counts, sum } }: {
    labels: LabelValues<L>;
    series: HistogramSeries;
  }): Sample[] {
    let total = 0;
    const buckets = counts.map((count, at): Sample => {
      total += count;
      const le = formatBound(this.#options.buckets[at] ?? Infinity);
      return { suffix: "_bucket", labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: sum },
      { suffix: "_count", labels, value: total },
    ];
  }
}

/** As OpenMetrics writes floats, so that both formats name the same series. */
function formatBound(bound: number): string {
  if (bound === Infinity) return "+Inf";
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}
