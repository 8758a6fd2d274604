import type { Frame, FrameOf } from "../schemas/frames.ts";
import { EXAMPLES } from "./examples.ts";

type FrameDocs = { [T in Frame["type"]]: { summary: string; example: FrameOf<T> } };

/** One literal example per frame, in the order a run sends them. */
export const FRAME_DOCS: FrameDocs = {
  start: {
    summary: "First: who answers.",
    example: {
      type: "start",
      requestId: "checkout-42",
      runId: EXAMPLES.runId,
      provider: "vendor_a",
      model: "demo",
      conversationId: EXAMPLES.conversationId,
    },
  },
  delta: {
    summary: "Append `text` to the assistant's message.",
    example: { type: "delta", text: "Your parcel " },
  },
  tool_call: {
    summary: "A tool is about to run.",
    example: { type: "tool_call", name: "find_order", args: { number: "A-1042" } },
  },
  tool_result: {
    summary: "What the tool before answered; a failure is `{ error: { code, message } }`.",
    example: { type: "tool_result", name: "find_order", output: { status: "shipped" } },
  },
  usage: {
    summary: "What the run used in all.",
    example: { type: "usage", inputTokens: 312, outputTokens: 48, costUsd: 0.0021 },
  },
  error: {
    summary: "Why the run ended early; `done` follows.",
    example: {
      type: "error",
      code: "budget_exceeded",
      message: "the run reached its limit of steps",
    },
  },
  done: {
    summary: "Last, exactly once. A stream that ends without it was cut off.",
    example: { type: "done", finishReason: "stop" },
  },
};
