import { canonicalJson } from "../../platform/canonical_json.ts";

/** A tool call of a stored run. */
export interface RecordedCall {
  name: string;
  args: unknown;
  /** Absent if the run ended before its result. */
  output?: unknown;
}

/** What a trial gets for a call instead of an execution. */
export interface RecordedAnswer {
  output: unknown;
  /** The recorded run made no such call. */
  differs?: true;
}

/** Answers the tool calls of a trial without executing any. */
export interface ToolCallSource {
  answer(name: string, args: unknown): RecordedAnswer;
  /** The names of tools that may be called besides those that the agent defines, as of MCP servers. */
  readonly names: readonly string[];
}

/**
 * Answers calls with the results of a recorded run: each with that of the first call of the same tool with
 * the same arguments that was not used yet, or was used before. Any other call differs from the recorded
 * run, and the model is informed that there is no result.
 */
export class RecordedToolCalls implements ToolCallSource {
  readonly #calls: { key: string; output: unknown; used: boolean }[];
  readonly names: readonly string[];

  /** `names` are those of tools whose servers the trial does not ask for their definitions. */
  constructor(calls: readonly RecordedCall[], { names = [] }: { names?: readonly string[] } = {}) {
    const answered = calls.filter(({ output }) => output !== undefined);
    this.#calls = answered.map(({ name, args, output }) => ({
      ...{ key: keyOf(name, args), output, used: false },
    }));
    this.names = names;
  }

  answer(name: string, args: unknown): RecordedAnswer {
    const key = keyOf(name, args);
    const same = this.#calls.filter((call) => call.key === key);
    const found = same.find(({ used }) => !used) ?? same.at(-1);
    if (found === undefined) return { output: NOT_RECORDED, differs: true };
    found.used = true;
    return { output: found.output };
  }
}

const NOT_RECORDED = {
  error: {
    code: "tool_unavailable",
    message:
      "this is a rehearsal: the recorded conversation has no result for such a call, so it " +
      "was not made. Answer without it",
  },
};

function keyOf(name: string, args: unknown): string {
  return `${name} ${canonicalJson(args)}`;
}
