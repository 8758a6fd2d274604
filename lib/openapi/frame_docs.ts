import type { Frame, FrameOf } from "../schemas/frames.ts";
import type { FeedFrame } from "../schemas/handoff.ts";
import { EXAMPLES } from "./examples.ts";

/** A summary and an example of each frame, in the order in which a run sends them. */
export const FRAME_DOCS: { [T in Frame["type"]]: { summary: string; example: FrameOf<T> } } = {
  start: {
    summary: "Always first: the run and its model.",
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
    summary: "A tool is about to run; with `pending`, once it is approved or answered.",
    example: {
      type: "tool_call",
      name: "find_order",
      args: { number: "A-1042" },
      progress: "Looking up your order…",
    },
  },
  tool_result: {
    summary: "The result of the preceding tool call; a failure is `{ error: { code, message } }`.",
    example: { type: "tool_result", name: "find_order", output: { status: "shipped" } },
  },
  usage: {
    summary: "Total usage of the run.",
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
    summary: "Always last. A stream that ends without it was interrupted.",
    example: { type: "done", finishReason: "stop" },
  },
};

/** The same for the feed of a hand-off. */
export const FEED_FRAME_DOCS: {
  [T in FeedFrame["type"]]: { summary: string; example: Extract<FeedFrame, { type: T }> };
} = {
  state: {
    summary: "Who has the conversation. After `returned` and `closed` the feed ends.",
    example: { type: "state", state: "taken", person: "Anna", form: false },
  },
  message: {
    summary: "What the person wrote.",
    example: {
      type: "message",
      text: "Hello, I am looking at your order.",
      person: "Anna",
      at: "2026-11-24T09:01:00.000Z",
    },
  },
  typing: {
    summary: "The person types; show it for 8 seconds. Without an id.",
    example: { type: "typing" },
  },
};
