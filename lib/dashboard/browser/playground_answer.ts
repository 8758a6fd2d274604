import type { Frame } from "@/lib/schemas/frames.ts";

/** A call of a tool, and its output once there is one. */
export interface ToolUse {
  name: string;
  args: unknown;
  output?: unknown;
}

/** A frame as it came. */
export interface TimedFrame {
  /** Since the message was sent, milliseconds. */
  ms: number;
  frame: Frame;
}

/** One answer of the playground while it comes and after. Times since the message was sent. */
export interface PlaygroundAnswer {
  text: string;
  tools: ToolUse[];
  frames: TimedFrame[];
  runId?: string;
  conversationId?: string;
  /** `<vendor>/<model>`, as the run named it. */
  model?: string;
  firstTextMs?: number;
  totalMs?: number;
  usage?: { inputTokens: number; outputTokens: number; costUsd: number };
  fault?: string;
  finishReason?: string;
}

export const EMPTY_ANSWER: PlaygroundAnswer = { text: "", tools: [], frames: [] };

/** The answer with one more frame, which came after `ms`. */
export function applyFrame(before: PlaygroundAnswer, { ms, frame }: TimedFrame): PlaygroundAnswer {
  const answer = { ...before, frames: [...before.frames, { ms, frame }] };
  switch (frame.type) {
    case "start": {
      const { runId, conversationId, provider, model } = frame;
      return { ...answer, runId, conversationId, model: `${provider}/${model}` };
    }
    case "delta":
      return { ...answer, text: answer.text + frame.text, firstTextMs: answer.firstTextMs ?? ms };
    case "tool_call":
      return { ...answer, tools: [...answer.tools, { name: frame.name, args: frame.args }] };
    case "tool_result":
      return { ...answer, tools: applyToolOutput(answer.tools, frame.output) };
    case "usage": {
      const { inputTokens, outputTokens, costUsd } = frame;
      return { ...answer, usage: { inputTokens, outputTokens, costUsd } };
    }
    case "error":
      return { ...answer, fault: `${frame.message} (${frame.code})` };
    case "done":
      return { ...answer, finishReason: frame.finishReason, totalMs: ms };
    default:
      return frame satisfies never;
  }
}

/** Tools are called one after the other, so a result is the last call's. */
function applyToolOutput(tools: ToolUse[], output: unknown): ToolUse[] {
  const last = tools.at(-1);
  return last === undefined ? tools : [...tools.slice(0, -1), { ...last, output }];
}
