import type { Egress } from "../../egress/egress.ts";
import type { EgressCall } from "../../egress/egress_error.ts";
import type { ModelTool } from "../../providers/model.ts";
import type { Redactor } from "./redactor.ts";
import type { VisitorValues } from "../visitor_variables.ts";
import type { FindSecret } from "./tool_secrets.ts";

/** What a run knows of a tool beside what its model reads. */
export interface ToolTraits {
  /** What visitors read while the tool runs. */
  progress?: string | undefined;
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
  call(args: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
}

export interface ToolContext {
  egress: Pick<Egress, "fetch" | "open">;
  findSecret: FindSecret;
  tenant: string;
  /** Absent for a draft that is not stored. */
  agentId?: string | undefined;
  allowedDomains: readonly string[];
  /** For `{{visitor.name}}`; the model neither sees nor chooses them. */
  visitor: VisitorValues;
  redactor: Redactor;
  recordCall: (call: EgressCall) => void;
}
