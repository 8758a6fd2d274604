// @ts-types="@modelcontextprotocol/sdk/types"
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { isTooDeep } from "./nesting.ts";
import { ToolFailure } from "./tool_failure.ts";

const EXCERPT = 1_000;
/** Characters of one answer that a model is shown. */
const MAX_OUTPUT = 65_536;

/**
 * What the model gets of an MCP tool's result: `{ content }`, its structured content or else its
 * text; anything else is named by type and size. A result that is an error is `tool_http_error`.
 */
export function mcpOutput(
  result: CallToolResult,
  clean: (text: string) => string,
): { content: unknown } {
  const text = result.content.map(describe).join("\n");
  if (result.isError) throw new ToolFailure("tool_http_error", clean(text).slice(0, EXCERPT));
  const output = { content: result.structuredContent ?? text };
  if (isTooDeep(output)) {
    throw new ToolFailure("tool_response_too_large", "the answer is nested too deeply");
  }
  if (JSON.stringify(output).length > MAX_OUTPUT) {
    const message = `the answer is larger than ${MAX_OUTPUT} characters`;
    throw new ToolFailure("tool_response_too_large", message);
  }
  return output;
}

function describe(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `(${block.type}, ${block.mimeType}, ${block.data.length} characters of base64)`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `(resource ${block.resource.uri})`;
    case "resource_link":
      return `(resource ${block.uri})`;
    default:
      return block satisfies never;
  }
}
