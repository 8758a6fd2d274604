import type { ModelMessage, ModelToolCall } from "../providers/model.ts";
import type { AgentRunOptions } from "./agent_run_options.ts";
import { type CallWait, type HeldCall, outputWithoutCall, outputWithoutWait } from "./held_call.ts";
import { traceTool } from "./trace_tool.ts";
import { parseToolArguments, sanitizeToolName } from "./sanitize_messages.ts";
import type { ToolTraits } from "./tools/callable_tool.ts";

export type ExecuteOptions = Pick<
  AgentRunOptions,
  | "tools"
  | "traitsOf"
  | "executeTool"
  | "checkCall"
  | "holdCall"
  | "whenStored"
  | "runId"
  | "keyPrefix"
  | "deadline"
  | "onEvent"
  | "signal"
  | "tracing"
>;

/** Executes one call and returns the message with its result for the model. */
export async function executeToolCall(
  call: ModelToolCall,
  options: ExecuteOptions,
): Promise<ModelMessage> {
  const started = startToolCall(call, options);
  const { wait } = started.traits;
  const rejected = wait && await started.check();
  if (wait === undefined || rejected !== undefined) {
    const n = started.announce();
    return started.finish(rejected ?? await started.execute(n));
  }
  const held = await options.holdCall?.(call.name, wait);
  if (held === undefined || held === "late") {
    started.announce();
    return started.finish(outputWithoutWait(wait, held === "late"));
  }
  const n = started.announce(held);
  return started.finish(await afterAnswer(started, { n, held, wait }), n);
}

async function afterAnswer(
  started: StartedToolCall,
  { n, held, wait }: { n: number | undefined; held: HeldCall; wait: CallWait },
): Promise<unknown> {
  const answer = await held.answer;
  const pageOutput = answer.kind === "output" ? answer.output : undefined;
  return outputWithoutCall(answer, wait) ?? await started.execute(n, pageOutput);
}

/** A call of the model: `announce` it, `execute` it, and `finish` it with its output. */
export interface StartedToolCall {
  traits: ToolTraits;
  /** The output of a call that cannot be executed even if it is approved. */
  check(): Promise<unknown>;
  /** Emits the event of the call, which may wait or run beside others, and returns its number. */
  announce(held?: HeldCall, others?: number): number | undefined;
  execute(n: number | undefined, pageOutput?: unknown): Promise<unknown>;
  /** Emits the event of the result, with the number of its call if that is not simply the last one. */
  finish(output: unknown, n?: number): ModelMessage;
}

export function startToolCall(call: ModelToolCall, options: ExecuteOptions): StartedToolCall {
  const { name } = call;
  const args = parseToolArguments(call);
  const isKnown = options.tools.some((tool) => tool.name === name);
  const traits = (isKnown && options.traitsOf?.(name)) || {};
  const invalid = invalidOutput({ name, args, isKnown });
  return {
    traits: invalid === undefined ? traits : {},
    check: async () => invalid ?? await options.checkCall?.(name, args),
    announce: (held, others) => {
      const event = eventOf({ name, args: args ?? call.args, traits, held });
      return options.onEvent(others === undefined ? event : { ...event, others }) ?? undefined;
    },
    execute: async (n, pageOutput) =>
      invalid ?? await executeRecorded(name, args!, { ...options, n, traits, pageOutput }),
    finish(output, n) {
      options.onEvent({ type: "tool_result", name, output, ...n !== undefined && { call: n } });
      return { role: "tool", callId: call.id, name: sanitizeToolName(name), output };
    },
  };
}

function eventOf({ name, args, traits: { progress, title }, held }: {
  name: string;
  args: unknown;
  traits: ToolTraits;
  held: HeldCall | undefined;
}) {
  return {
    ...{ type: "tool_call" as const, name, args },
    ...progress !== undefined && { progress },
    ...title !== undefined && { title },
    ...held !== undefined && { held: { waitsFor: held.waitsFor, expiresAt: held.expiresAt } },
  };
}

function invalidOutput(
  { name, args, isKnown }: { name: string; args: unknown; isKnown: boolean },
): { error: { code: string; message: string } } | undefined {
  if (!isKnown) {
    return { error: { code: "tool_unknown", message: `there is no tool named ${name}` } };
  }
  if (args !== undefined) return undefined;
  const message = "the arguments are not a JSON object, or nested too deeply";
  return { error: { code: "tool_invalid_arguments", message } };
}

/**
 * Executes a call, once it is stored if it has effects: if the process dies, the process that
 * settles the run finds it, and does not take it for a call that was never made.
 */
async function executeRecorded(
  name: string,
  args: Record<string, unknown>,
  options:
    & ExecuteOptions
    & { n: number | undefined; traits: ToolTraits; pageOutput: unknown },
): Promise<unknown> {
  const { executeTool, signal, deadline, runId, keyPrefix = runId, tracing } = options;
  const { whenStored, n, traits, pageOutput } = options;
  const isRecorded = traits.hasEffects !== true || n === undefined ||
    await (whenStored?.(n) ?? true);
  if (!isRecorded) {
    const message = "the call could not be recorded, so it was not made";
    return { error: { code: "tool_unavailable", message } };
  }
  const id = keyPrefix === undefined || n === undefined ? undefined : `${keyPrefix}.${n}`;
  const work = () => executeTool(name, args, { signal, id, runId, deadline, pageOutput });
  return tracing === undefined ? await work() : await traceTool(tracing, { name, args, id, work });
}
