// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { EgressError } from "../../../egress/egress_error.ts";
import type { Redactor } from "../redactor.ts";
import { ToolError, type ToolErrorCode } from "../tool_error.ts";

const MAX_EXCERPT_LENGTH = 1_000;

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

/** Whether a server rejected a request because it no longer knows the session. */
export function isSessionNotFound(error: unknown): boolean {
  const cause = error instanceof ToolError ? error.cause : undefined;
  return cause instanceof StreamableHTTPError && cause.code === 404;
}
