import { csvLine, csvText } from "../../platform/csv_line.ts";
import type { ResultFormat, TestResult } from "../../schemas/test_run.ts";

const COLUMNS: readonly (readonly [
  name: string,
  value: (result: TestResult) => string | number | undefined,
])[] = [
  ["case", ({ caseId }) => caseId],
  ["name", ({ name }) => name],
  ["question", ({ question }) => question],
  ["outcome", ({ outcome }) => outcome],
  ["unmet", ({ checks }) => unmetExpectations(checks)],
  ["answer", ({ answer }) => answer],
  ["sources", ({ sources }) => sources.map(({ title }) => title).join("; ")],
  ["calls", ({ calls }) => calls.map(({ name }) => name).join("; ")],
  ["cost_usd", ({ costUsd }) => costUsd],
  ["latency_ms", ({ latencyMs }) => latencyMs],
  ["finish_reason", ({ finishReason }) => finishReason],
  ["error_code", ({ errorCode }) => errorCode],
];

/** The results of a run as JSON lines, or as CSV (RFC 4180) with a header. */
export async function* exportResults(
  results: AsyncIterable<TestResult>,
  format: ResultFormat,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(COLUMNS.map(([name]) => name));
  for await (const result of results) {
    yield format === "csv"
      ? csvLine(COLUMNS.map(([, value]) => toCell(value(result))))
      : `${JSON.stringify(result)}\n`;
  }
}

function unmetExpectations(checks: TestResult["checks"]): string {
  return checks.filter(({ passed }) => !passed)
    .map(({ type, expected, reason }) => [type, expected, reason].filter(Boolean).join(": "))
    .join("; ");
}

function toCell(value: string | number | undefined): string | number {
  return typeof value === "number" ? value : csvText(value ?? "");
}
