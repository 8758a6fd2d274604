import { Buffer } from "node:buffer";
import type { ModelTool } from "../models/model.ts";

/**
 * The tools that fit into `bytes`, in their order, and the names of the others: what servers of
 * strangers list may be larger than any model's context.
 */
export function fitTools(
  tools: readonly ModelTool[],
  bytes: number,
): { tools: readonly ModelTool[]; leftOut: readonly string[] } {
  const fitting: ModelTool[] = [];
  const leftOut: string[] = [];
  let left = bytes;
  for (const tool of tools) {
    const size = Buffer.byteLength(JSON.stringify(tool));
    if (size > left) {
      leftOut.push(tool.name);
      continue;
    }
    left -= size;
    fitting.push(tool);
  }
  return { tools: fitting, leftOut };
}
