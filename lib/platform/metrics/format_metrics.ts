import type { MetricFamily, Sample } from "./metric_family.ts";

export const METRICS_FORMATS = ["text", "openmetrics"] as const;
export type MetricsFormat = typeof METRICS_FORMATS[number];

export const METRICS_CONTENT_TYPES: Readonly<Record<MetricsFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * Writes metrics in Prometheus's text format, or in OpenMetrics.
 *
 * @see https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 */
export function formatMetrics(
  families: readonly MetricFamily[],
  format: MetricsFormat = "text",
): string {
  const lines = families.flatMap((family) => formatFamily(family, format));
  if (format === "openmetrics") lines.push("# EOF");
  return lines.join("\n") + "\n";
}

function formatFamily({ name, help, type, samples }: MetricFamily, format: MetricsFormat) {
  // The text format names a counter as its samples.
  const shown = format === "text" && type === "counter" ? `${name}_total` : name;
  return [
    `# HELP ${shown} ${format === "text" ? escapeHelp(help) : escapeLabel(help)}`,
    `# TYPE ${shown} ${type}`,
    ...samples.map((sample) => formatSample(name, sample)),
  ];
}

function formatSample(name: string, { suffix, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  const all = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return `${name}${suffix}${all} ${formatNumber(value)}`;
}

function formatNumber(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
