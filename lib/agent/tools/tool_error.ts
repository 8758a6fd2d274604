import { EgressError, type EgressErrorCode } from "../../egress/egress_error.ts";

/** Why a tool call failed. Source: CONTRACT section 6. */
export type ToolErrorCode =
  | EgressErrorCode
  | "tool_http_error"
  | "tool_invalid_arguments"
  /** An MCP server demands an authorization that the tenant does not have, or no longer has. */
  | "tool_unauthorized"
  | "tool_unknown";

/** A failed tool call; the model sees code and message. */
export class ToolError extends Error {
  override name = "ToolError";
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The output of a failed call. Rethrows errors that are not the tool's. */
export function toErrorOutput(error: unknown): { error: { code: ToolErrorCode; message: string } } {
  if (error instanceof ToolError || error instanceof EgressError) {
    return { error: { code: error.code, message: error.message } };
  }
  throw error;
}
