import { csvLine, csvText } from "../platform/csv_line.ts";
import type { Usage } from "../store/runs/usage_rows.ts";

export interface CsvRow {
  /** The cells before the totals. */
  names: readonly string[];
  usage: Usage;
}

const SUMS = ["cost_usd", "runs", "failed_runs", "input_tokens", "output_tokens"];

/** Usage as CSV (RFC 4180, UTF-8) with a header and without cells that spreadsheets would run. */
export function usageCsv(names: readonly string[], rows: readonly CsvRow[]): string {
  const lines = [
    [...names, ...SUMS].map(csvText),
    ...rows.map(({ names, usage }) => [...names.map(csvText), ...sumsOf(usage)]),
  ];
  return lines.map(csvLine).join("");
}

function sumsOf({ cost, runs, failed, inputTokens, outputTokens }: Usage): string[] {
  return [(cost / 1_000_000).toFixed(6), ...[runs, failed, inputTokens, outputTokens].map(String)];
}
