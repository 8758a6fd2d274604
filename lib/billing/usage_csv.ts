import type { Usage } from "../store/runs/usage_rows.ts";

export interface CsvRow {
  /** The cells before the totals. */
  names: readonly string[];
  usage: Usage;
}

const SUMS = ["cost_usd", "runs", "failed_runs", "input_tokens", "output_tokens"];

/**
 * Spreadsheets run cells that begin like this as formulas, some the full-width forms too. Names come
 * from users, and RFC 4180 does not cover this.
 */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** Usage as CSV (RFC 4180, UTF-8) with a header and without cells that spreadsheets would run. */
export function usageCsv(names: readonly string[], rows: readonly CsvRow[]): string {
  const lines = [
    [...names, ...SUMS].map(textCell),
    ...rows.map(({ names, usage }) => [...names.map(textCell), ...sumsOf(usage)]),
  ];
  return lines.map((cells) => `${cells.join(",")}\r\n`).join("");
}

function sumsOf({ cost, runs, failed, inputTokens, outputTokens }: Usage): string[] {
  return [(cost / 1_000_000).toFixed(6), ...[runs, failed, inputTokens, outputTokens].map(String)];
}

function textCell(text: string): string {
  const harmless = FORMULA.test(text.trimStart()) || FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
