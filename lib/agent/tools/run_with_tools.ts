import {
  type AgentEvent,
  type AgentOutcome,
  type AgentRunOptions,
  runAgent,
} from "../run_agent.ts";
import type { Toolset } from "./toolset.ts";

/** The loop with a toolset, whose tools are asked for as the first thing of the run. */
export async function* runWithTools(
  toolset: Toolset,
  options: Omit<AgentRunOptions, "tools" | "executeTool">,
): AsyncGenerator<AgentEvent, AgentOutcome> {
  const tools = await toolset.listTools(options.signal);
  const executeTool: AgentRunOptions["executeTool"] = (...call) => toolset.execute(...call);
  return yield* runAgent({ ...options, tools, executeTool });
}
