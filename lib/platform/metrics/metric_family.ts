export type MetricType = "counter" | "gauge" | "histogram";
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  suffix: "" | "_total" | "_bucket" | "_sum" | "_count";
  labels: Labels;
  value: number;
}

/** A metric with its samples, as plain data that processes can exchange as JSON. */
export interface MetricFamily {
  /** Without the `_total` of a counter. */
  name: string;
  help: string;
  type: MetricType;
  samples: Sample[];
}

/** Adds labels to every sample. */
export function withLabels(families: readonly MetricFamily[], labels: Labels): MetricFamily[] {
  return families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({
      ...sample,
      labels: { ...labels, ...sample.labels },
    })),
  }));
}

/** The samples of several processes, whose labels must tell them apart, by metric. */
export function mergeFamilies(parts: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const merged = new Map<string, MetricFamily>();
  for (const family of parts.flat()) {
    const known = merged.get(family.name);
    if (known === undefined) merged.set(family.name, { ...family, samples: [...family.samples] });
    else known.samples.push(...family.samples);
  }
  return [...merged.values()];
}
