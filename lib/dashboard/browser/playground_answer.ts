import type { Frame, FrameOf } from "@/lib/schemas/frames.ts";

/** A tool call, with its output and duration once it returns. */
export interface ToolUse {
  /** The number of the call in the run. */
  n: number;
  name: string;
  args: unknown;
  /** Since the message was sent. */
  startMs: number;
  output?: unknown;
  durationMs?: number;
  /** The call waits for this. */
  waitsFor?: FrameOf<"tool_call">["waitsFor"];
}

export interface TimedFrame {
  /** Milliseconds since the message was sent. */
  ms: number;
  /** Its number in the run. */
  n?: number;
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

export function applyFrame(
  before: PlaygroundAnswer,
  { ms, n = 0, frame }: TimedFrame,
): PlaygroundAnswer {
  const answer = { ...before, frames: [...before.frames, { ms, frame }] };
  switch (frame.type) {
    case "start": {
      const { runId, conversationId, model } = frame;
      return { ...answer, runId, conversationId, model };
    }
    case "delta":
      return { ...answer, text: answer.text + frame.text, firstTextMs: answer.firstTextMs ?? ms };
    case "tool_call": {
      const { title: name = frame.name, args, waitsFor } = frame;
      const use = { n, name, args, startMs: ms, ...waitsFor && { waitsFor } };
      return { ...answer, tools: [...answer.tools, use] };
    }
    case "tool_result":
      return { ...answer, tools: applyToolResult(answer.tools, { ms, frame }) };
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

/** Without the number of its call, a result belongs to the last one. */
function applyToolResult(
  tools: ToolUse[],
  { ms, frame: { output, call } }: { ms: number; frame: FrameOf<"tool_result"> },
): ToolUse[] {
  const of = call ?? tools.at(-1)?.n;
  return tools.map((use) => {
    if (use.n !== of) return use;
    const { waitsFor: _, ...ended } = use;
    return { ...ended, output, durationMs: ms - use.startMs };
  });
}
