import type {
  ImageContents,
  Model,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelUsage,
} from "../providers/model.ts";
import type { Tracing } from "../platform/tracing.ts";
import type { FinishReason, StreamErrorCode } from "../schemas/error_codes.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { ContextWindow } from "./context_window.ts";
import type { Truncation } from "./fit_step.ts";
import type { StepLimit } from "./last_step.ts";
import type { CallWait, HeldCall } from "./held_call.ts";
import type { ArgumentValidator } from "./tools/arguments/compile_parameters.ts";
import type { ToolCallContext, ToolTraits } from "./tools/callable_tool.ts";

type ModelName = { provider: ProviderId; model: string };

export interface Candidate extends ModelName {
  client: Model;
  /** Its provider may be asked to cache the prompt. */
  cachesPrompt?: true;
  /** Milliseconds until it must begin to respond. */
  responseMs?: number;
}

/** Settings of the model that every step has. */
export type StepSettings = Pick<
  ModelRequest,
  "temperature" | "topP" | "stopSequences" | "reasoningEffort" | "responseSchema" | "affinity"
>;

/** An event of a run. The first `step` precedes all others. */
export type AgentEvent =
  /** A model accepted the request of step `n`, counted from 1. */
  | { type: "step"; n: number } & ModelName
  | { type: "text"; text: string }
  | {
    type: "tool_call";
    name: string;
    args: unknown;
    progress?: string | undefined;
    title?: string | undefined;
    /** So many further calls run beside it, whose pairs of events follow at once. */
    others?: number;
    /** The call waits, until `expiresAt` in milliseconds since the epoch. */
    held?: Pick<HeldCall, "waitsFor" | "expiresAt">;
  }
  /** `call` is the number of the call's event, if it waited or others ran beside it. */
  | { type: "tool_result"; name: string; output: unknown; call?: number }
  /** The beginning of what the model thought in a step, as far as its provider shows it. */
  | { type: "reasoning"; text: string }
  | { type: "usage" } & ModelUsage & ModelName;

/** How a run ended; `error` is set if it was not the model's decision. */
export interface AgentOutcome {
  finishReason: FinishReason;
  error?: { code: StreamErrorCode; message: string };
}

export interface PlannedStep {
  /** Upper bound of the tokens that any model will count. */
  inputTokens: number;
  /** Size of the prompt; `inputTokens` is less if a turn's reasoning is known to be shorter. */
  inputBytes: number;
  candidates: readonly Candidate[];
}

/**
 * The output limit of a step for each candidate, 0 if the budget does not cover it; or the outcome of
 * the run if the budget covers none.
 */
export type StepGrant =
  | {
    outputTokens: (candidate: Candidate) => number;
    /** What will not pay for another full step: the model is asked to finish within this one. */
    limit?: StepLimit | undefined;
  }
  | {
    ended: AgentOutcome;
    /** The input tokens that leave a short answer, if some do: the step may be tried with fewer. */
    affordableInput?: number;
  };

export interface AgentRunOptions extends StepSettings {
  /** At least one, in order of preference: the agent's own model, then its fallback. */
  candidates: readonly Candidate[];
  system: string;
  messages: readonly ModelMessage[];
  /** Of the images in `messages`. */
  images?: ImageContents;
  tools: readonly ModelTool[];
  traitsOf?: (name: string) => ToolTraits;
  /** Executes a tool call. A failure of the tool is its output, never an exception. */
  executeTool: (name: string, args: unknown, call: ToolCallContext) => Promise<unknown>;
  /** The output of a call whose arguments its tool does not accept; asked before a call waits. */
  checkCall?: (name: string, args: unknown) => Promise<unknown>;
  /**
   * Makes the next call wait; `undefined` if the chat cannot show that it does, `late` if the run's time
   * leaves none for an answer.
   */
  holdCall?: (name: string, wait: CallWait) => Promise<HeldCall | "late" | undefined>;
  /** Resolves when the event with this number is stored; false if the store does not take it. */
  whenStored?: (n: number) => Promise<boolean>;
  /** Identifies the run to tools. */
  runId?: string;
  /** What the keys of its calls begin with: the run's id by default, or the call that asked an agent. */
  keyPrefix?: string;
  /** Called before each step, so that the loop itself knows no prices. */
  authorizeStep: (step: PlannedStep) => Promise<StepGrant>;
  onAttempt?: (candidate: Candidate) => void;
  /** The smallest context window of all candidates. */
  contextWindow?: ContextWindow;
  /** Called before a step that does not fit into the context window. */
  onTruncation?: (truncation: Truncation) => void;
  /** Called before a step that the model is asked to finish within. */
  onLastStep?: (limit: StepLimit) => void;
  /** Called with the usage that a provider may bill for a failed attempt. */
  onUsage?: (candidate: Candidate, usage: ModelUsage) => void;
  /** Called with each event as it happens; returns the number of a tool call's. */
  onEvent: (event: AgentEvent) => number | void;
  /** With a `responseSchema`: returns what is wrong with an answer. */
  validateAnswer?: ArgumentValidator;
  maxSteps: number;
  /** A single step is asked to finish too: a call's effect must not be followed by an error only. */
  mustAnswer?: boolean;
  /** The steps that count towards `maxSteps`, those of asked agents too; by default the loop's own. */
  stepsUsed?: () => number;
  /** End of the run's time in milliseconds since the epoch: no retry waits longer. */
  deadline?: number;
  signal: AbortSignal;
  /** Set if traces are collected. */
  tracing?: Tracing | undefined;
}
