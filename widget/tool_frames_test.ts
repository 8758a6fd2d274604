import { assertEquals } from "@std/assert";
import { RUN } from "../tests/support/widget_conversation.ts";
import { initialState } from "./state.ts";
import { beginTool, endTool } from "./tool_frames.ts";

Deno.test("beginTool: shows the owner's words and tells of them once, or keeps what to ask next", () => {
  const state = initialState();
  state.turns.push({ id: 1, role: "user", text: "Hi" });
  const call = { type: "tool_call" as const, args: { questions: ["Why?"] } };
  const progress = "Looking up your order…";
  beginTool(state, { ...call, name: "track_order" });
  assertEquals([state.tool, state.announcements], ["track order", []]);
  for (let n = 0; n < 2; n++) beginTool(state, { ...call, name: "track_order", progress });
  assertEquals([state.tool, state.announcements], [progress, [progress]]);
  state.tool = "";
  beginTool(state, { ...call, name: "suggest_follow_ups" });
  assertEquals([state.tool, state.turns[0]?.followUps], ["", { questions: ["Why?"] }]);
});

/** A state whose run has come to frame `n`. */
function atFrame(n: number) {
  const state = initialState();
  state.turns.push({ id: 1, role: "user", text: "Hi" });
  state.attempt = { key: "key-1", run: RUN, n, messages: [] };
  return state;
}

const PENDING = {
  type: "tool_call",
  name: "cancel_order",
  args: { id: "A-1" },
  progress: "Cancelling…",
  pending: true,
  expiresAt: "2026-01-15T12:01:00.000Z",
} as const;

Deno.test("beginTool: a call that needs an approval waits, and nothing says that it runs", () => {
  for (const waitsFor of ["visitor", "person"] as const) {
    const state = atFrame(4);
    beginTool(state, { ...PENDING, waitsFor, title: "Cancel an order" });
    assertEquals([state.tool, state.announcements], ["", []]);
    const [call] = state.calls!;
    assertEquals([call!.run, call!.n, call!.title], [RUN, 4, "Cancel an order"]);
  }
});

Deno.test("beginTool: a call of the page runs at once, and is named by its tool without a title", () => {
  const state = atFrame(2);
  beginTool(state, { ...PENDING, waitsFor: "page" });
  assertEquals([state.tool, state.announcements], ["Cancelling…", ["Cancelling…"]]);
  assertEquals(state.calls!.map(({ title }) => title), ["cancel order"]);
});

Deno.test("endTool: ends the call that it names, and no other", () => {
  const state = atFrame(2);
  beginTool(state, { ...PENDING, waitsFor: "visitor" });
  state.attempt!.n = 3;
  beginTool(state, { ...PENDING, waitsFor: "visitor" });
  const result = { type: "tool_result", name: "cancel_order", output: {} } as const;
  endTool(state, result);
  assertEquals(state.calls!.map(({ n }) => n), [2, 3]);
  endTool(state, { ...result, call: 2 });
  assertEquals(state.calls!.map(({ n }) => n), [3]);
});
