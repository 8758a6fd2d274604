import { isObject } from "./mcp_messages.ts";
import { isTooDeep } from "../../../schemas/json_depth.ts";
import { ToolError } from "../tool_error.ts";

const MAX_EXCERPT_LENGTH = 1_000;
/** Characters of one answer that a model is shown. */
const MAX_OUTPUT_LENGTH = 65_536;

/**
 * What the model gets of an MCP tool's result: `{ content }`, its structured content or else its
 * text; anything else is named by type and size. A result that is an error is `tool_http_error`.
 */
export function toToolOutput(
  result: Readonly<Record<string, unknown>>,
  clean: (text: string) => string,
): { content: unknown } {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const text = blocks.map(describeContent).join("\n");
  if (result.isError === true) {
    throw new ToolError("tool_http_error", clean(text).slice(0, MAX_EXCERPT_LENGTH));
  }
  const output = { content: isObject(result.structuredContent) ? result.structuredContent : text };
  if (isTooDeep(output)) {
    throw new ToolError("tool_response_too_large", "the answer is nested too deeply");
  }
  if (JSON.stringify(output).length > MAX_OUTPUT_LENGTH) {
    const message = `the answer is larger than ${MAX_OUTPUT_LENGTH} characters`;
    throw new ToolError("tool_response_too_large", message);
  }
  return output;
}

/** One block of content, whatever a server calls one. */
function describeContent(block: unknown): string {
  if (!isObject(block)) return UNKNOWN_CONTENT;
  const { type, text, mimeType, data, resource, uri } = block;
  switch (type) {
    case "text":
      return typeof text === "string" ? text : UNKNOWN_CONTENT;
    case "image":
    case "audio":
      return `(${type}, ${asText(mimeType)}, ${asText(data).length} characters of base64)`;
    case "resource":
      if (!isObject(resource)) return UNKNOWN_CONTENT;
      return typeof resource.text === "string"
        ? resource.text
        : `(resource ${asText(resource.uri)})`;
    case "resource_link":
      return `(resource ${asText(uri)})`;
    default:
      return UNKNOWN_CONTENT;
  }
}

const UNKNOWN_CONTENT = "(content of an unknown kind)";

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
