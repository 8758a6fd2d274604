import type { Usage } from "../store/runs/usage_rows.ts";

/** One line of a download: what it is about, and its sums. */
export interface CsvRow {
  /** Cells before the sums. */
  names: readonly string[];
  usage: Usage;
}

const SUMS = ["cost_usd", "runs", "failed_runs", "input_tokens", "output_tokens"];

/**
 * Spreadsheets take a cell that begins so for a formula, some of them the full-width forms too, and
 * names are not ours: RFC 4180 does not help.
 */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** Usage as CSV: RFC 4180, UTF-8, a header, and no cell that a spreadsheet would run. */
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
