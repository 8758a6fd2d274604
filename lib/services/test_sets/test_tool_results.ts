import type { RecordedAnswer, ToolCallSource } from "../../chat/trial/recorded_tool_calls.ts";
import { SEARCH_KNOWLEDGE } from "../../agent/tools/search_knowledge_tool.ts";
import { canonicalJson } from "../../platform/canonical_json.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { TestCaseBody, ToolResult } from "../../schemas/test_case.ts";

const NOT_EXECUTED = {
  error: {
    code: "tool_unavailable",
    message: "not executed in a test, and there is no result for this call. Answer without it",
  },
};

/** Answers tool calls with the results of a case: of the same arguments first, then of any. */
export class TestToolResults implements ToolCallSource {
  readonly #results: readonly ToolResult[];
  readonly names: readonly string[];

  constructor(
    { toolResults = [], expectations }: Pick<TestCaseBody, "toolResults" | "expectations">,
    agent: Pick<Agent, "tools">,
  ) {
    this.#results = toolResults;
    this.names = namesOfServerTools(agent, [
      ...toolResults.map(({ name }) => name),
      ...expectations.flatMap((one) => one.type === "calls_tool" ? [one.name] : []),
    ]);
  }

  answer(name: string, args: unknown): RecordedAnswer {
    const results = this.#results.filter((result) => result.name === name);
    const key = canonicalJson(args);
    const found =
      results.find((one) => one.arguments !== undefined && canonicalJson(one.arguments) === key) ??
        results.find((one) => one.arguments === undefined);
    return found === undefined ? { output: NOT_EXECUTED, differs: true } : { output: found.output };
  }
}

/** The tools of MCP servers, which are not asked what they offer: those that the case names. */
function namesOfServerTools({ tools }: Pick<Agent, "tools">, named: readonly string[]): string[] {
  if (!tools.some(({ type }) => type === "mcp")) return [];
  const own = tools.filter(({ type }) => type !== "mcp").map(({ name }) => name);
  const known = new Set([...own, SEARCH_KNOWLEDGE]);
  return [...new Set(named)].filter((name) => !known.has(name));
}
