import { isRepeatable, type RemoteTool } from "../../schemas/tool_definition.ts";
import type { ToolTraits } from "./callable_tool.ts";

/** What a run knows of a tool that the service calls, or of each tool of an MCP server. */
export function remoteTraits(tool: RemoteTool): ToolTraits {
  const { progress, title, approval = "never", parallel } = tool;
  return {
    ...{ progress, title, hasEffects: !isRepeatable(tool) },
    wait: approval === "never" ? undefined : { for: approval },
    // A stored agent may say so of a tool with effects.
    parallel: parallel === true && isRepeatable(tool),
  };
}
