import { assertEquals } from "@std/assert";
import type { Frame } from "../lib/wire/frames.ts";
import { DROPPED } from "./failure.ts";
import { type Action, answerOf, INITIAL, reduce, type WidgetState } from "./state.ts";

const CONVERSATION = "5f1c2d3e-aaaa-4bbb-8ccc-121212121212";
const START: Frame = {
  type: "start",
  requestId: "request-1",
  runId: "0b6c7a1e-57c3-4a52-9c1c-3d9a5a1f0e77",
  provider: "vendor_a",
  model: "demo",
  conversationId: CONVERSATION,
};
const delta = (text: string): Frame => ({ type: "delta", text });
const done = (finishReason: "stop" | "length" | "cancelled" | "error"): Frame => ({
  type: "done",
  finishReason,
});

function play(actions: (Action | Frame)[], from: WidgetState = INITIAL): WidgetState {
  return actions.reduce((state, step) => reduce(state, asAction(step)), from);
}

function asAction(step: Action | Frame): Action {
  const frames = ["start", "delta", "tool_call", "tool_result", "usage", "error", "done"];
  return frames.includes(step.type) ? { type: "framed", frame: step as Frame } : step as Action;
}

const ASKED: Action = { type: "asked", text: "Hello?" };

Deno.test("reduce: an answer grows word by word and is announced once, whole", () => {
  const midway = play([ASKED, START, delta("Good "), delta("day")]);
  assertEquals([midway.phase, answerOf(midway.turns), midway.announcement], [
    "answering",
    "Good day",
    "",
  ]);
  const end = reduce(midway, { type: "framed", frame: done("stop") });
  assertEquals([end.phase, end.announcement, end.conversationId], [
    "idle",
    "Good day",
    CONVERSATION,
  ]);
});

Deno.test("reduce: an answer that ends while the panel is closed is unread until it is opened", () => {
  const closed = play([ASKED, START, delta("Hi"), done("stop")]);
  assertEquals(closed.unread, true);
  assertEquals(play([{ type: "opened" }], closed).unread, false);
  assertEquals(play([{ type: "opened" }, ASKED, delta("Hi"), done("stop")]).unread, false);
});

Deno.test("reduce: a dropped connection keeps the words and marks where they end", () => {
  const state = play([ASKED, START, delta("Half an"), { type: "failed", failure: DROPPED }]);
  assertEquals(state.turns.at(-1)?.ending, "cut_off");
  assertEquals(answerOf(state.turns), "Half an");
  assertEquals(state.failure?.retry, "same");
});

Deno.test("reduce: trying again drops the half answer, keeps the question and clears the failure", () => {
  const state = play([ASKED, delta("Half"), { type: "failed", failure: DROPPED }, {
    type: "retried",
  }]);
  assertEquals(state.turns.map((turn) => turn.text), ["Hello?"]);
  assertEquals([state.phase, state.failure], ["waiting", undefined]);
});

Deno.test("reduce: an error frame is shown when the run is done, with a new run as the retry", () => {
  const error: Frame = { type: "error", code: "provider_error", message: "vendor said no" };
  const state = play([ASKED, START, delta("Well"), error, done("error")]);
  assertEquals([state.phase, state.failure?.code, state.failure?.retry], [
    "idle",
    "provider_error",
    "new",
  ]);
  assertEquals(state.turns.at(-1)?.ending, "cut_off");
  assertEquals(state.failure?.text.includes("vendor said no"), false);
});

Deno.test("reduce: a run without a word is a failure, unless it was cancelled", () => {
  assertEquals(play([ASKED, START, done("stop")]).failure?.code, "empty_answer");
  assertEquals(play([ASKED, START, done("cancelled")]).failure, undefined);
});

Deno.test("reduce: stopping and the length limit are told apart under the answer", () => {
  const stopped = play([ASKED, delta("One"), { type: "stopped" }]);
  assertEquals([stopped.phase, stopped.turns.at(-1)?.ending], ["idle", "stopped"]);
  assertEquals(play([ASKED, delta("One"), done("length")]).turns.at(-1)?.ending, "too_long");
});

Deno.test("reduce: a new conversation forgets everything, but never reuses an element's key", () => {
  const state = play([{ type: "opened" }, ASKED, START, delta("Hi"), done("stop"), {
    type: "cleared",
  }]);
  assertEquals([state.open, state.turns, state.conversationId], [true, [], undefined]);
  assertEquals(state.nextId, 3);
});
