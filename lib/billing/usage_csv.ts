import { csvLine, csvText } from "../platform/csv_line.ts";
import { toUsd } from "./micro_usd.ts";
import type { Usage } from "../store/runs/usage_rows.ts";

export interface CsvRow {
  /** The cells before the totals. */
  names: readonly string[];
  usage: Usage;
}

const SUMS = [
  ...["cost_usd", "runs", "failed_runs", "input_tokens", "output_tokens"],
  ...["cached_input_tokens", "cache_write_tokens", "cache_saved_usd", "reasoning_tokens"],
];

/** Usage as CSV (RFC 4180, UTF-8) with a header and without cells that spreadsheets would run. */
export function usageCsv(names: readonly string[], rows: readonly CsvRow[]): string {
  const lines = [
    [...names, ...SUMS].map(csvText),
    ...rows.map(({ names, usage }) => [...names.map(csvText), ...sumsOf(usage)]),
  ];
  return lines.map(csvLine).join("");
}

function sumsOf(usage: Usage): string[] {
  const { cost, runs, failed, inputTokens, outputTokens } = usage;
  const { cachedInputTokens = 0, cacheWriteTokens = 0, cacheSavings = 0, reasoningTokens = 0 } =
    usage;
  return [
    ...[usd(cost), ...[runs, failed, inputTokens, outputTokens].map(String)],
    ...[String(cachedInputTokens), String(cacheWriteTokens)],
    ...[usd(cacheSavings), String(reasoningTokens)],
  ];
}

function usd(microUsd: number): string {
  return toUsd(microUsd).toFixed(6);
}
