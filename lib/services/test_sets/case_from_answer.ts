import { usedPassages } from "../../agent/tools/found_passages.ts";
import { SEARCH_KNOWLEDGE } from "../../agent/tools/search_knowledge_tool.ts";
import { SUGGEST_FOLLOW_UPS } from "../../agent/tools/suggest_follow_ups_tool.ts";
import { cutText } from "../../platform/cut_text.ts";
import { isJsonObject } from "../../platform/json.ts";
import { TEST_BOUNDS } from "../../schemas/limits.ts";
import {
  type Expectation,
  type TestCaseBody,
  testCaseBodySchema,
  type ToolResult,
} from "../../schemas/test_case.ts";
import { TOOL_NAME } from "../../schemas/tool_definition.ts";
import type { RecordedRun } from "../rehearsals/recorded_runs.ts";

/** Tools that tests execute as conversations do. */
const EXECUTED: ReadonlySet<string> = new Set([SEARCH_KNOWLEDGE, SUGGEST_FOLLOW_UPS]);

/**
 * A case of what a run was asked: its question with the turns before it, the results of its tools, and
 * expectations that its answer meets: it cites the documents that it draws on, and calls the tools. The
 * oldest turns and largest results are left out if the case would be too large.
 */
export function caseFromAnswer(
  { messages, question, transcript }: Pick<RecordedRun, "messages" | "question" | "transcript">,
): TestCaseBody {
  const history = messages.slice(0, -1).slice(-TEST_BOUNDS.history)
    .map(({ role, content }) => ({
      role,
      content: cutText(content, 0, TEST_BOUNDS.questionLength),
    }))
    .filter(({ content }) => content !== "");
  const called = transcript.tools.filter(({ name }) => TOOL_NAME.test(name) && !EXECUTED.has(name));
  const toolResults = called.flatMap(({ name, args, output }): ToolResult[] =>
    output === undefined
      ? []
      : [{ name, ...isJsonObject(args) && { arguments: args as never }, output: output as never }]
  ).slice(0, TEST_BOUNDS.toolResults);
  const body = {
    question: cutText(question, 0, TEST_BOUNDS.questionLength),
    expectations: suggestions(transcript, [...new Set(called.map(({ name }) => name))]),
    enabled: true,
  };
  return fitted(body, { history, toolResults });
}

function suggestions(
  { text, tools }: RecordedRun["transcript"],
  called: readonly string[],
): Expectation[] {
  const cited = new Map(
    usedPassages(text, tools).map(({ documentId, title }) => [documentId, title]),
  );
  const documents = [...cited.values()].filter((title) => title !== "")
    .map((title) => ({ type: "cites_document" as const, title }));
  const calls = called.map((name) => ({ type: "calls_tool" as const, name }));
  return [...documents, ...calls].slice(0, TEST_BOUNDS.expectations);
}

function fitted(
  body: TestCaseBody,
  { history, toolResults }: {
    history: NonNullable<TestCaseBody["history"]>;
    toolResults: ToolResult[];
  },
): TestCaseBody {
  for (;;) {
    const whole = {
      ...body,
      ...history.length > 0 && { history },
      ...toolResults.length > 0 && { toolResults },
    };
    if (testCaseBodySchema.safeParse(whole).success) return whole;
    if (history.length > 0) history = history.slice(1);
    else if (toolResults.length > 0) toolResults = withoutLargest(toolResults);
    else return body;
  }
}

function withoutLargest(results: readonly ToolResult[]): ToolResult[] {
  const sizes = results.map((result) => JSON.stringify(result).length);
  return results.toSpliced(sizes.indexOf(Math.max(...sizes)), 1);
}
