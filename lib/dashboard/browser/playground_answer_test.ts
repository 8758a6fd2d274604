import { assertEquals } from "@std/assert";
import type { Frame } from "@/lib/schemas/frames.ts";
import { applyFrame, EMPTY_ANSWER } from "./playground_answer.ts";

Deno.test("withFrame: a run's frames make its answer, with what it took", () => {
  const frames: Frame[] = [
    {
      type: "start",
      requestId: "r",
      runId: "run",
      provider: "vendor_a",
      model: "demo",
      conversationId: "c",
    },
    { type: "tool_call", name: "look", args: { q: 1 } },
    { type: "tool_result", name: "look", output: "found" },
    { type: "delta", text: "It " },
    { type: "delta", text: "is." },
    { type: "usage", inputTokens: 3, outputTokens: 2, costUsd: 0.5 },
    { type: "done", finishReason: "stop" },
  ];
  const answer = frames.reduce(
    (so, frame, n) => applyFrame(so, { ms: n * 10, frame }),
    EMPTY_ANSWER,
  );
  const { frames: seen, ...rest } = answer;
  assertEquals(seen.length, 7);
  assertEquals(rest, {
    text: "It is.",
    tools: [{ name: "look", args: { q: 1 }, startMs: 10, output: "found", durationMs: 10 }],
    runId: "run",
    conversationId: "c",
    model: "demo",
    firstTextMs: 30,
    totalMs: 60,
    usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.5 },
    finishReason: "stop",
  });
});

Deno.test("applyFrame: an error includes its code", () => {
  const frame: Frame = { type: "error", code: "budget_exceeded", message: "the cost is used up" };
  assertEquals(
    applyFrame(EMPTY_ANSWER, { ms: 1, frame }).error,
    "the cost is used up (budget_exceeded)",
  );
});
