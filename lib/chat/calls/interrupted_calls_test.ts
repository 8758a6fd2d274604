import { assertEquals } from "@std/assert";
import type { Frame } from "../../schemas/frames.ts";
import { findOpenCalls, interruptedCallsOf } from "./interrupted_calls.ts";

Deno.test("findOpenCalls: a question and its call are both open until they have results", () => {
  const frames: Frame[] = [
    { type: "tool_call", name: "a", args: {} },
    { type: "tool_result", name: "a", output: 1 },
    { type: "tool_call", name: "refund", args: {} },
    { type: "tool_call", name: "question", args: {}, pending: true, waitsFor: "visitor" },
  ];
  assertEquals(findOpenCalls(frames).map(({ n, call }) => [n, call.name]), [
    [4, "question"],
    [3, "refund"],
  ]);
  const closed: Frame[] = [...frames, {
    type: "tool_result",
    name: "question",
    output: 1,
    call: 4,
  }];
  assertEquals(findOpenCalls(closed).map(({ n }) => n), [3]);
});

Deno.test("interruptedCallsOf: a question is not among them, but a tool of that name", () => {
  const question = { name: "question", args: {} };
  const frames: Frame[] = [
    { type: "tool_call", name: "refund", args: {} },
    { type: "tool_call", ...question, pending: true, waitsFor: "visitor" },
    { type: "tool_result", name: "question", output: { approved: true }, call: 2 },
    { type: "tool_result", name: "refund", output: "done", call: 1 },
    { type: "tool_call", ...question },
    { type: "tool_result", name: "question", output: "done" },
  ];
  assertEquals(interruptedCallsOf(frames, 7), [
    { name: "refund", at: 7, done: true },
    { name: "question", at: 7, done: true },
  ]);
});

Deno.test("interruptedCallsOf: an error after which a call may have taken effect is an unknown outcome", () => {
  const outcomeOf = (code: string) =>
    interruptedCallsOf([
      { type: "tool_call", name: "refund", args: {} },
      { type: "tool_result", name: "refund", output: { error: { code, message: "" } } },
    ], 7);
  for (const code of ["tool_outcome_unknown", "tool_timeout", "tool_unreachable"]) {
    assertEquals(outcomeOf(code), [{ name: "refund", at: 7 }]);
  }
  for (const code of ["tool_refused", "tool_invalid_arguments", "domain_not_allowed"]) {
    assertEquals(outcomeOf(code), []);
  }
});
