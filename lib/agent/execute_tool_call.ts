import type { ModelMessage, ModelToolCall } from "../providers/model.ts";
import type { AgentRunOptions } from "./agent_run_options.ts";
import { parseToolArguments, sanitizeToolName } from "./sanitize_messages.ts";

export type ExecuteOptions = Pick<
  AgentRunOptions,
  "tools" | "traitsOf" | "executeTool" | "onEvent" | "signal"
>;

/** Executes one call and returns the message with its result for the model. */
export async function executeToolCall(
  call: ModelToolCall,
  options: ExecuteOptions,
): Promise<ModelMessage> {
  const args = parseToolArguments(call);
  const isKnown = options.tools.some(({ name }) => name === call.name);
  const { progress } = (isKnown && options.traitsOf?.(call.name)) || {};
  const event = { type: "tool_call" as const, name: call.name, args: args ?? call.args };
  options.onEvent(progress === undefined ? event : { ...event, progress });
  const output = await outputOf(call.name, args, options);
  options.onEvent({ type: "tool_result", name: call.name, output });
  return { role: "tool", callId: call.id, name: sanitizeToolName(call.name), output };
}

function outputOf(
  name: string,
  args: Record<string, unknown> | undefined,
  { tools, executeTool, signal }: ExecuteOptions,
): unknown {
  if (!tools.some((tool) => tool.name === name)) {
    return { error: { code: "tool_unknown", message: `there is no tool named ${name}` } };
  }
  if (args === undefined) {
    const message = "the arguments are not a JSON object, or nested too deeply";
    return { error: { code: "tool_invalid_arguments", message } };
  }
  return executeTool(name, args, signal);
}
