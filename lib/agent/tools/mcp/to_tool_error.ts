// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { EgressError } from "../../../egress/egress_error.ts";
import { ToolError, type ToolErrorCode } from "../tool_error.ts";

const MAX_EXCERPT_LENGTH = 1_000;

const CODES: ReadonlyMap<number, ToolErrorCode> = new Map([
  [ErrorCode.RequestTimeout, "tool_timeout"],
  [ErrorCode.InvalidParams, "tool_invalid_arguments"],
  [ErrorCode.ConnectionClosed, "tool_unreachable"],
]);

/** What went wrong between us and an MCP server, as a failure of the tool. */
export function toToolError(
  error: unknown,
  { clean, signal }: { clean: (text: string) => string; signal: AbortSignal },
): ToolError | EgressError {
  if (signal.aborted) return new ToolError("tool_timeout", "the call was stopped");
  if (error instanceof ToolError || error instanceof EgressError) return error;
  const excerpt = error instanceof Error ? clean(error.message).slice(0, MAX_EXCERPT_LENGTH) : "";
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

/** Whether a server refused a request because it knows nothing of its session any more. */
export function isSessionNotFound(failure: unknown): boolean {
  const cause = failure instanceof ToolError ? failure.cause : undefined;
  return cause instanceof StreamableHTTPError && cause.code === 404;
}
