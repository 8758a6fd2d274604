import { handOffTool } from "../../agent/tools/hand_off_tool.ts";
import { memoryTools } from "../../agent/tools/memory_tools.ts";
import { SUGGEST_FOLLOW_UPS } from "../../agent/tools/suggest_follow_ups_tool.ts";
import { SEARCH_KNOWLEDGE } from "../../agent/tools/search_knowledge_tool.ts";
import type { Toolset } from "../../agent/tools/toolset.ts";
import type { ModelTool } from "../../providers/model.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ToolCallSource } from "./recorded_tool_calls.ts";

/** Tools of the service that change nothing: a trial executes them. */
const WITHOUT_EFFECTS: ReadonlySet<string> = new Set([SEARCH_KNOWLEDGE, SUGGEST_FOLLOW_UPS]);

/** The schema of a tool whose server is not asked for it. */
const ANY_ARGUMENTS = { type: "object" };

/** The tools of the service that a run of this agent would have, to be listed and not executed. */
export function toolsWithEffects(
  { handoff, memory }: Agent,
  { hasVisitor }: { hasVisitor: boolean },
): ModelTool[] {
  const never = () => Promise.reject(new Error("a recorded call was executed"));
  return [
    ...handoff?.enabled && handoff.by.includes("model") ? [handOffTool(never)] : [],
    ...hasVisitor && memory?.enabled ? memoryTools({ remember: never, forget: never }, memory) : [],
  ].map(({ tool }) => tool);
}

/**
 * A toolset whose calls are answered by `source` instead of being executed, except searches of the
 * agent's knowledge base. No call waits for a person or a page. `onDiffering` is called with the id of each
 * call that the recorded run did not make.
 */
export function withRecordedCalls(
  tools: Toolset,
  { source, listed: also, onDiffering }: {
    source: ToolCallSource;
    /** Tools to be listed besides those of the toolset. */
    listed: readonly ModelTool[];
    onDiffering: (id: string | undefined) => void;
  },
): Toolset {
  const recordedOnly = (listed: readonly ModelTool[]): ModelTool[] => {
    const known = new Set(listed.map(({ name }) => name));
    return source.names.filter((name) => !known.has(name)).map((name) => ({
      ...{ name, description: "", parameters: ANY_ARGUMENTS },
    }));
  };
  return {
    get egressCalls() {
      return tools.egressCalls;
    },
    get notes() {
      return tools.notes;
    },
    async listTools(signal) {
      const listed = await tools.listTools(signal);
      const all = [...listed, ...also];
      return [...all, ...recordedOnly(all)];
    },
    traitsOf(name) {
      const { endsAnswer, parallel } = tools.traitsOf(name);
      return {
        ...parallel !== undefined && { parallel },
        ...endsAnswer !== undefined && { endsAnswer },
      };
    },
    validatorOf: (schema) => tools.validatorOf(schema),
    check: () => Promise.resolve(undefined),
    async execute(name, args, call) {
      if (WITHOUT_EFFECTS.has(name)) return await tools.execute(name, args, call);
      call.signal.throwIfAborted();
      const { output, differs } = source.answer(name, args);
      if (differs) onDiffering(call.id);
      return output;
    },
    close: () => tools.close(),
  };
}
