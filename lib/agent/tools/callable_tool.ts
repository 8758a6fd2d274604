import type { Egress } from "../../egress/egress.ts";
import type { EgressCall } from "../../egress/egress_error.ts";
import type { ModelTool } from "../../providers/model.ts";
import type { CallWait } from "../held_call.ts";
import type { Redactor } from "./redactor.ts";
import type { VisitorValues } from "../visitor_variables.ts";
import type { FindSecret } from "./tool_secrets.ts";

/** One call of a run, or of a test without a run. */
export interface ToolCallContext {
  signal: AbortSignal;
  /** `<runId>.<n>`, the same whenever this call is repeated and never that of another call. */
  id?: string | undefined;
  runId?: string | undefined;
  /** End of the run's time in milliseconds since the epoch: no retry waits longer. */
  deadline?: number | undefined;
  /** What the visitor's page answered. */
  pageOutput?: unknown;
}

/** What a run knows of a tool beside what its model reads. */
export interface ToolTraits {
  /** What visitors read while the tool runs. */
  progress?: string | undefined;
  /** Its name for people. */
  title?: string | undefined;
  /** Its calls wait for somebody. */
  wait?: CallWait | undefined;
  /** Its calls may run beside others, and may be repeated. */
  parallel?: boolean | undefined;
  /** A call may have an effect that a second one would repeat: none is sent before it is stored. */
  hasEffects?: boolean | undefined;
  /** Nothing is left to say after a call beside text: the run ends without another step. */
  endsAnswer?: true;
  /** Its arguments are stored, so guardrails mask them before the call. */
  storesArguments?: true;
}

export interface CallableTool extends ToolTraits {
  tool: ModelTool;
  /** The tool's server validates the arguments too, so a schema that we cannot compile is no obstacle. */
  validatedByServer?: boolean;
  /** Throws a `ToolError` or an `EgressError`; `args` match the tool's schema. */
  call(args: Record<string, unknown>, context: ToolCallContext): Promise<unknown>;
}

/** A token with which a server answered 401, and the signal of the call. */
export interface RejectedToken {
  rejected: string;
  signal: AbortSignal;
}

/** Access tokens of the tenant's connections to MCP servers. Rejections are a `ToolError`. */
export interface McpTokens {
  /** `undefined` if the tenant has no connection to the server. */
  current(server: URL, signal: AbortSignal): Promise<string | undefined>;
  /** A newer token than one that the server rejected. */
  renew(server: URL, token: RejectedToken): Promise<string>;
  /** The server rejected the newest token too: always throws. */
  reject(server: URL, token: RejectedToken): Promise<never>;
}

/**
 * Asks the visitor whether a call may go on; false if they say no or do not answer in time. Throws only
 * if the signal, which is the call's, is aborted.
 */
export type AskVisitor = (message: string, signal: AbortSignal) => Promise<boolean>;

export interface ToolContext {
  egress: Pick<Egress, "fetch" | "open">;
  findSecret: FindSecret;
  tenant: string;
  /** Absent for a draft that is not stored. */
  agentId?: string | undefined;
  allowedDomains: readonly string[];
  /** For `{{visitor.name}}`; the model neither sees nor chooses them. */
  visitor: VisitorValues;
  /** Absent where servers get no token, as in tests of tools. */
  mcpTokens?: McpTokens | undefined;
  /** Absent if the run cannot wait for its visitor. */
  askVisitor?: AskVisitor | undefined;
  redactor: Redactor;
  recordCall: (call: EgressCall) => void;
}
