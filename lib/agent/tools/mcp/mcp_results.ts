// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { EgressError } from "../../../egress/egress_error.ts";
import { isJsonObject } from "../../../platform/json.ts";
import { isTooDeep } from "../../../schemas/json_depth.ts";
import type { Redactor } from "../redactor.ts";
import { ToolError, type ToolErrorCode } from "../tool_error.ts";

const MAX_EXCERPT_LENGTH = 1_000;
/** Limit in characters for the output that a model reads. */
const MAX_OUTPUT_LENGTH = 65_536;
const UNKNOWN_CONTENT = "(content of an unknown kind)";

/**
 * Converts an MCP result to `{ content }`: its structured content or else its text; other content is
 * described by type and size. Throws a `ToolError` for a result that is an error.
 */
export function toToolOutput(
  result: Readonly<Record<string, unknown>>,
  redactor: Redactor,
): { content: unknown } {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const text = blocks.map(describeContent).join("\n");
  if (result.isError === true) {
    const excerpt = redactor.redactText(text).slice(0, MAX_EXCERPT_LENGTH);
    throw new ToolError("tool_http_error", excerpt);
  }
  const { structuredContent } = result;
  const output = { content: isJsonObject(structuredContent) ? structuredContent : text };
  if (isTooDeep(output)) {
    throw new ToolError("tool_response_too_large", "the answer is nested too deeply");
  }
  if (JSON.stringify(output).length > MAX_OUTPUT_LENGTH) {
    const message = `the answer is larger than ${MAX_OUTPUT_LENGTH} characters`;
    throw new ToolError("tool_response_too_large", message);
  }
  return output;
}

/** Describes an untrusted content block. */
function describeContent(block: unknown): string {
  if (!isJsonObject(block)) return UNKNOWN_CONTENT;
  const { type, text, mimeType, data, resource, uri } = block;
  switch (type) {
    case "text":
      return typeof text === "string" ? text : UNKNOWN_CONTENT;
    case "image":
    case "audio":
      return `(${type}, ${asText(mimeType)}, ${asText(data).length} characters of base64)`;
    case "resource":
      if (!isJsonObject(resource)) return UNKNOWN_CONTENT;
      return typeof resource.text === "string"
        ? resource.text
        : `(resource ${asText(resource.uri)})`;
    case "resource_link":
      return `(resource ${asText(uri)})`;
    default:
      return UNKNOWN_CONTENT;
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const CODES: ReadonlyMap<number, ToolErrorCode> = new Map([
  [ErrorCode.RequestTimeout, "tool_timeout"],
  [ErrorCode.InvalidParams, "tool_invalid_arguments"],
  [ErrorCode.ConnectionClosed, "tool_unreachable"],
]);

/** Converts an error of the MCP library to an error of the tool. */
export function toToolError(
  error: unknown,
  { redactor, signal }: { redactor: Redactor; signal: AbortSignal },
): ToolError | EgressError {
  if (signal.aborted) return new ToolError("tool_timeout", "the call was stopped");
  if (error instanceof ToolError || error instanceof EgressError) return error;
  const text = error instanceof Error ? redactor.redactText(error.message) : "";
  const excerpt = text.slice(0, MAX_EXCERPT_LENGTH);
  if (error instanceof McpError) {
    return new ToolError(CODES.get(error.code) ?? "tool_http_error", excerpt, { cause: error });
  }
  if (error instanceof StreamableHTTPError && (error.code ?? 0) > 0) {
    const message = `the server answered ${error.code}: ${excerpt}`;
    return new ToolError("tool_http_error", message, { cause: error });
  }
  const message = "the server does not speak the Model Context Protocol";
  return new ToolError("tool_unreachable", message, { cause: error });
}

/** What the reference servers, and those that were copied from them, answer with a 400. */
const REFERENCE_NOT_FOUND = "No valid session ID provided";

/**
 * Whether a server rejected a request because it no longer knows the session. It does so before it looks
 * at the message, so the request was not executed. The specification demands a 404.
 */
export function isSessionNotFound(error: unknown): boolean {
  const cause = error instanceof ToolError ? error.cause : undefined;
  if (!(cause instanceof StreamableHTTPError)) return false;
  return cause.code === 404 || (cause.code === 400 && cause.message.includes(REFERENCE_NOT_FOUND));
}
