/** A metric with more series would slow down every query; a bug must not create them without end. */
const MAX_SERIES = 1_000;
/** The value of each label in the series that takes what is beyond the maximum. */
const OTHER = "other";

export type LabelValues<L extends string> = Readonly<Record<L, string>>;

export interface SeriesOptions<L extends string, T> {
  labels: readonly L[];
  create: () => T;
  maxSeries?: number | undefined;
}

/** The series of one metric by the values of its labels, bounded in number. */
export class SeriesMap<L extends string, T> {
  readonly #options: SeriesOptions<L, T>;
  readonly #series = new Map<string, { labels: LabelValues<L>; series: T }>();

  constructor(options: SeriesOptions<L, T>) {
    this.#options = options;
    // Without labels there is one series, which is 0 until something happens.
    if (options.labels.length === 0) this.get({} as LabelValues<L>);
  }

  /** The series of these values; once the maximum is reached, new values share one. */
  get(values: LabelValues<L>): T {
    const { labels, create, maxSeries = MAX_SERIES } = this.#options;
    let key = "";
    for (const label of labels) key += `${values[label]}\0`;
    const known = this.#series.get(key);
    if (known !== undefined) return known.series;
    const others = Object.fromEntries(labels.map((label) => [label, OTHER])) as LabelValues<L>;
    const isOther = labels.every((label) => values[label] === OTHER);
    if (!isOther && this.#series.size >= maxSeries) return this.get(others);
    const own = Object.fromEntries(labels.map((label) => [label, values[label]]));
    const series = create();
    this.#series.set(key, { labels: own as LabelValues<L>, series });
    return series;
  }

  values(): Iterable<{ labels: LabelValues<L>; series: T }> {
    return this.#series.values();
  }
}
