import type { Frame } from "@/lib/schemas/frames.ts";

/** A tool call, with its output and duration once it returns. */
export interface ToolUse {
  name: string;
  args: unknown;
  /** Since the message was sent. */
  startMs: number;
  output?: unknown;
  durationMs?: number;
}

export interface TimedFrame {
  /** Milliseconds since the message was sent. */
  ms: number;
  frame: Frame;
}

/** A playground answer, during and after streaming. Times are since the message was sent. */
export interface PlaygroundAnswer {
  text: string;
  tools: ToolUse[];
  frames: TimedFrame[];
  runId?: string;
  conversationId?: string;
  /** `<provider>/<model>` from the start frame. */
  model?: string;
  firstTextMs?: number;
  totalMs?: number;
  usage?: { inputTokens: number; outputTokens: number; costUsd: number };
  error?: string;
  finishReason?: string;
}

export const EMPTY_ANSWER: PlaygroundAnswer = { text: "", tools: [], frames: [] };

export function applyFrame(before: PlaygroundAnswer, { ms, frame }: TimedFrame): PlaygroundAnswer {
  const answer = { ...before, frames: [...before.frames, { ms, frame }] };
  switch (frame.type) {
    case "start": {
      const { runId, conversationId, model } = frame;
      return { ...answer, runId, conversationId, model };
    }
    case "delta":
      return { ...answer, text: answer.text + frame.text, firstTextMs: answer.firstTextMs ?? ms };
    case "tool_call": {
      const { name, args } = frame;
      return { ...answer, tools: [...answer.tools, { name, args, startMs: ms }] };
    }
    case "tool_result":
      return { ...answer, tools: applyToolOutput(answer.tools, { ms, output: frame.output }) };
    case "usage": {
      const { inputTokens, outputTokens, costUsd } = frame;
      return { ...answer, usage: { inputTokens, outputTokens, costUsd } };
    }
    case "error":
      return { ...answer, error: `${frame.message} (${frame.code})` };
    case "done":
      return { ...answer, finishReason: frame.finishReason, totalMs: ms };
    default:
      return frame satisfies never;
  }
}

/** Tools run one at a time, so a result belongs to the last call. */
function applyToolOutput(
  tools: ToolUse[],
  { ms, output }: { ms: number; output: unknown },
): ToolUse[] {
  const last = tools.at(-1);
  if (last === undefined) return tools;
  return [...tools.slice(0, -1), { ...last, output, durationMs: ms - last.startMs }];
}
