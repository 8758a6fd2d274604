import { usedPassages } from "../../agent/tools/found_passages.ts";
import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { TrialJudge } from "../../chat/trial/trial_judge.ts";
import type { TrialCall, TrialResult } from "../../chat/trial/trial_answer.ts";
import type { ModelName } from "../../billing/model_access.ts";
import { cutText } from "../../platform/cut_text.ts";
import { firstFitting } from "../../platform/first_fitting.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { Expectation, TestCaseBody } from "../../schemas/test_case.ts";
import type { TestCheck, TestOutcome, TestWords } from "../../schemas/test_run.ts";
import { checkExpectation, toCheck } from "./check_expectation.ts";
import { TestToolResults } from "./test_tool_results.ts";

/** What became of a case. Money in micro-USD, times in milliseconds. */
export interface RunCase {
  outcome: TestOutcome;
  cost: number;
  latencyMs: number;
  finishReason: TrialResult["finishReason"];
  errorCode?: string;
  words: TestWords;
}

interface RunCaseOptions {
  tenant: string;
  agent: Agent;
  judge: ModelName | undefined;
  grader: Pick<TrialJudge, "grade">;
  job: TrialJob;
}

/** Asks an agent a case and checks the answer; `undefined` if the job has nothing left for all of it. */
export async function runCase(
  body: TestCaseBody,
  options: RunCaseOptions,
): Promise<RunCase | undefined> {
  const { agent, job } = options;
  const { question, history = [] } = body;
  const result = await job.run({
    agent,
    messages: [...history, { role: "user", content: question }],
    tools: new TestToolResults(body, agent),
  });
  // Stopped in the middle: what it says is no answer.
  if (result === undefined || result.finishReason === "cancelled") return undefined;
  const { finishReason, latencyMs, error } = result;
  const used = usedPassages(result.text, result.calls);
  const answered = { text: result.text, calls: result.calls, used };
  const checked = error === undefined
    ? await checkAll(body, { answered, options })
    : { checks: [], cost: 0, isGraded: true };
  if (checked === undefined) return undefined;
  const errorCode = error?.code ?? (checked.isGraded ? undefined : JUDGE_UNAVAILABLE);
  const isPassed = checked.checks.every(({ passed }) => passed);
  const sources = new Map(used.map(({ documentId, title }) => [documentId, title]));
  return {
    outcome: errorCode !== undefined ? "errored" : isPassed ? "passed" : "failed",
    cost: result.cost + checked.cost,
    ...{ latencyMs, finishReason },
    ...errorCode !== undefined && { errorCode },
    words: fitWords({
      ...body.name !== undefined && { name: body.name },
      ...{ question, answer: result.text, checks: checked.checks },
      calls: result.calls,
      sources: [...sources].map(([documentId, title]) => ({ documentId, title })),
    }),
  };
}

/** The error code of a case whose judge did not answer, or not with a grade. */
const JUDGE_UNAVAILABLE = "judge_unavailable";

async function checkAll(
  { question, expectations }: TestCaseBody,
  { answered, options }: {
    answered: Parameters<typeof checkExpectation>[1];
    options: RunCaseOptions;
  },
): Promise<{ checks: TestCheck[]; cost: number; isGraded: boolean } | undefined> {
  const checks: TestCheck[] = [];
  let cost = 0;
  let isGraded = true;
  for (const expectation of expectations) {
    if (expectation.type !== "judged") {
      checks.push(await checkExpectation(expectation, answered));
      continue;
    }
    const graded = await grade(expectation, { question, answer: answered.text, options });
    if (graded === undefined) return undefined;
    cost += graded.cost;
    isGraded &&= graded.isGraded;
    checks.push(graded.check);
  }
  return { checks, cost, isGraded };
}

async function grade(
  expectation: Extract<Expectation, { type: "judged" }>,
  { question, answer, options }: { question: string; answer: string; options: RunCaseOptions },
): Promise<{ check: TestCheck; cost: number; isGraded: boolean } | undefined> {
  const { rubric, minScore } = expectation;
  const { tenant, agent, judge, grader, job } = options;
  const graded = judge === undefined
    ? { grade: "unavailable" as const, cost: 0 }
    : await grader.grade({ rubric, question, answer }, { tenant, agentId: agent.id, judge, job });
  if (graded === "out_of_budget" || job.signal.aborted) return undefined;
  const { grade, cost } = graded;
  if (grade === "unavailable") {
    const check = toCheck(expectation, { passed: false, reason: "the judge gave no grade" });
    return { check, cost, isGraded: false };
  }
  const { score, reason } = grade;
  const passed = minScore === undefined ? grade.pass : score >= minScore;
  return { check: toCheck(expectation, { passed, score, reason }), cost, isGraded: true };
}

/** A stored result is one value of at most 64 KiB. */
const MAX_WORDS_BYTES = 48 * 1024;
const SIZES = [
  { text: 8_000, json: 1_000, calls: 8 },
  { text: 4_000, json: 300, calls: 4 },
  { text: 1_000, json: 0, calls: 0 },
] as const;
const MAX_SOURCES = 10;
const MAX_TITLE = 120;

/** The words, shortened until they can be stored. */
function fitWords(
  { calls, sources, checks, ...texts }: Omit<TestWords, "calls"> & { calls: readonly TrialCall[] },
): TestWords {
  const sized = (size: typeof SIZES[number]): TestWords => ({
    ...texts,
    question: cutText(texts.question, 0, size.text),
    answer: cutText(texts.answer, 0, size.text),
    calls: calls.slice(0, size.calls).map(({ name, args, output, differs }) => ({
      name: cutText(name, 0, MAX_TITLE),
      args: shortJson(args, size.json),
      ...output !== undefined && { output: shortJson(output, size.json) },
      ...differs && { notExecuted: true },
    })),
    sources: sources.slice(0, MAX_SOURCES)
      .map(({ documentId, title }) => ({ documentId, title: cutText(title, 0, MAX_TITLE) })),
    checks: size.calls > 0 ? checks : checks.map(({ reason: _reason, ...check }) => check),
  });
  const [large, ...smaller] = SIZES;
  return firstFitting([sized(large), ...smaller.map(sized)], MAX_WORDS_BYTES);
}

/** The value, or the beginning of its JSON. */
function shortJson(value: unknown, max: number): never {
  const json = JSON.stringify(value) ?? "null";
  return (json.length <= max ? JSON.parse(json) : `${cutText(json, 0, max)}…`) as never;
}
