import { EgressError, type EgressErrorCode } from "../../egress/egress_error.ts";

/** Why a call of a tool failed. Source: CONTRACT section 6. */
export type ToolErrorCode =
  | EgressErrorCode
  | "tool_http_error"
  | "tool_invalid_arguments"
  | "tool_unknown";

/** A call that failed for a reason the model is told of. */
export class ToolError extends Error {
  override name = "ToolFailure";
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The output that tells of a failure; a fault of our own, which is none of these, is thrown on. */
export function toErrorOutput(error: unknown): { error: { code: ToolErrorCode; message: string } } {
  if (error instanceof ToolError || error instanceof EgressError) {
    return { error: { code: error.code, message: error.message } };
  }
  throw error;
}
