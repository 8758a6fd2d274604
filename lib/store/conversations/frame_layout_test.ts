import { assertEquals } from "@std/assert";
import type { Frame } from "../../schemas/frames.ts";
import { framesOf, layoutOf } from "./frame_layout.ts";

const START: Frame = {
  type: "start",
  requestId: "r",
  runId: "b7a4f1d2-3c58-4e96-8a07-51d9e2c6f043",
  provider: "vendor_a",
  model: "demo",
  conversationId: "d20e6b83-97f4-4c1a-b5d8-0a3e7f6c9214",
};

Deno.test("framesOf: rebuilds text, calls at the same time and their results in any order", () => {
  const frames: Frame[] = [
    START,
    { type: "delta", text: "One 👋" },
    { type: "delta", text: "" },
    { type: "tool_call", name: "a", args: { n: 1 }, progress: "Looking" },
    { type: "tool_call", name: "b", args: [2] },
    { type: "tool_result", name: "b", output: { ok: 2 }, call: 5 },
    { type: "tool_result", name: "a", output: { error: { code: "x" } }, call: 4 },
    { type: "delta", text: "\ud83d" },
    { type: "delta", text: "\ude00!" },
    { type: "tool_call", name: "c", args: {} },
    { type: "tool_result", name: "c", output: null },
  ];
  const text = frames.map((frame) => frame.type === "delta" ? frame.text : "").join("");
  const tools = [
    { args: { n: 1 }, output: { error: { code: "x" } } },
    { args: [2], output: { ok: 2 } },
    { args: {}, output: null },
  ];
  const layout = JSON.parse(JSON.stringify(layoutOf(frames)));
  assertEquals(JSON.stringify(layout).includes("Looking"), true);
  assertEquals(framesOf({ text, tools, layout }), frames);
});

Deno.test("framesOf: an answer of an early release has no frames", () => {
  assertEquals(framesOf({ text: "Hi", tools: [] }), undefined);
});
