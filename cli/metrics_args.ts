import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";

/** The parsed command line. */
export type MetricsArgs =
  | { action: "show"; input: { format: "text" | "openmetrics" } }
  | { action: "tenants"; input: Record<string, never> };

export const METRICS_HELP = `Prints what a running service measures, of all its server processes.

  deno task metrics [show] [--openmetrics]
      in Prometheus's text format, or in OpenMetrics
  deno task metrics tenants
      which tenant has which label tenant="…"

With KV_URL, read GET /metrics of the service instead.`;

/** Parses the arguments of `deno task metrics`. Throws `UsageError`. */
export function parseMetricsArgs(words: string[]): MetricsArgs | { action: "help" } {
  const { values, positionals } = parseOptions(words, { openmetrics: { type: "boolean" } });
  const [action = "show", ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  rejectExtra(rest);
  switch (action) {
    case "show":
      return { action, input: { format: values.openmetrics ? "openmetrics" : "text" } };
    case "tenants":
      if (values.openmetrics) throw new UsageError("--openmetrics is only valid with show");
      return { action, input: {} };
    default:
      throw unknownAction(action, "show or tenants");
  }
}
