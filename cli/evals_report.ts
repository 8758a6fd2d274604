import type { TestResult, TestRun } from "../lib/schemas/test_run.ts";

/** Of a question or an answer in the report. */
const MAX_TEXT = 300;

/** What a person or a log of CI reads: the cases that did not pass, with the reasons, and the sum. */
export function evalsReport(run: TestRun, problems: readonly TestResult[]): string {
  return [...problems.map(describeResult), describeRun(run)].join("\n\n");
}

function describeResult(
  { outcome, name, question, answer, checks, errorCode }: TestResult,
): string {
  const missed = checks.filter(({ passed }) => !passed);
  return [
    `${outcome.toUpperCase()}  ${oneLine(name ?? question)}`,
    ...errorCode === undefined ? [] : [`  error: ${errorCode}`],
    `  answer: ${answer === "" ? "(none)" : oneLine(answer)}`,
    ...missed.map(({ type, expected, reason, score }) => {
      const grade = score === undefined ? "" : ` (score ${score})`;
      return `  ${type} ${oneLine(expected)}${grade}${reason ? `: ${oneLine(reason)}` : ""}`;
    }),
  ].join("\n");
}

export function describeRun(run: TestRun): string {
  const { state, isPassed, passed, cases, failed, errored, notRun, threshold, costUsd } = run;
  const verdict = isPassed ? "PASSED" : state === "done" ? "FAILED" : state.toUpperCase();
  const others = [
    ...failed > 0 ? [`${failed} failed`] : [],
    ...errored > 0 ? [`${errored} without an answer`] : [],
    ...notRun > 0 ? [`${notRun} not run`] : [],
  ];
  return `${verdict}: ${passed} of ${cases} cases passed (${percent(passed / cases)}), ` +
    `${percent(threshold)} required${others.length > 0 ? `; ${others.join(", ")}` : ""}. ` +
    `Version ${run.version}, ${costUsd.toFixed(6)} USD.`;
}

/** Rounded down, so that less than the threshold never looks like it. */
function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10}%`;
}

function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex -- a terminal must not obey what a model wrote
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}…` : plain;
}
