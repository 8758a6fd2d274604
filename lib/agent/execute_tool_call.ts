import type { ModelMessage, ModelToolCall } from "../providers/model.ts";
import { parseToolArguments, sanitizeToolName } from "./message_history.ts";
import type { AgentEvent, AgentRunOptions } from "./run_agent.ts";

/** Carries out one call, told before and after; arguments that are no values never reach a tool. */
export async function* executeToolCall(
  call: ModelToolCall,
  { tools, executeTool, signal }: Pick<AgentRunOptions, "tools" | "executeTool" | "signal">,
): AsyncGenerator<AgentEvent, ModelMessage> {
  const args = parseToolArguments(call);
  const known = tools.some((tool) => tool.name === call.name);
  yield { type: "tool_call", name: call.name, args: args ?? call.args };
  const output = !known
    ? errorOutput("tool_unknown", `there is no tool named ${call.name}`)
    : args === undefined
    ? errorOutput(
      "tool_invalid_arguments",
      "the arguments are not a JSON object, or nested too deeply",
    )
    : await executeTool(call.name, args, signal);
  yield { type: "tool_result", name: call.name, output };
  return { role: "tool", callId: call.id, name: sanitizeToolName(call.name), output };
}

/** A tool's failure as its output: the model sees it, and the run goes on. */
export function errorOutput(code: string, message: string) {
  return { error: { code, message } };
}
