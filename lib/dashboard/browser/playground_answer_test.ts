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
    (so, frame, n) => applyFrame(so, { ms: n * 10, n: n + 1, frame }),
    EMPTY_ANSWER,
  );
  const { frames: seen, ...rest } = answer;
  assertEquals(seen.length, 7);
  assertEquals(rest, {
    text: "It is.",
    tools: [{ n: 2, name: "look", args: { q: 1 }, startMs: 10, output: "found", durationMs: 10 }],
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

Deno.test("applyFrame: the result of a question belongs to it, and the tool's to the tool", () => {
  const frames: Frame[] = [
    { type: "tool_call", name: "refund", args: {} },
    { type: "tool_call", name: "question", args: {}, pending: true, waitsFor: "visitor" },
    { type: "tool_result", name: "question", output: { approved: true }, call: 2 },
    { type: "tool_result", name: "refund", output: "done", call: 1 },
  ];
  const shown = [2, 3, 4].map((count) =>
    frames.slice(0, count)
      .reduce((so, frame, i) => applyFrame(so, { ms: i * 10, n: i + 1, frame }), EMPTY_ANSWER)
      .tools.map(({ output, durationMs, waitsFor }) => ({ output, durationMs, waitsFor }))
  );
  const open = { output: undefined, durationMs: undefined, waitsFor: undefined };
  const question = { ...open, output: { approved: true }, durationMs: 10 };
  assertEquals(shown, [
    [open, { ...open, waitsFor: "visitor" }],
    [open, question],
    [{ ...open, output: "done", durationMs: 30 }, question],
  ]);
});
