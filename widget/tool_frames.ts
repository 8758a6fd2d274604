/** What the frames of a tool's call change in the state. */
import type { FrameOf } from "../lib/schemas/frames.ts";
import { addSources, type State } from "./state.ts";

/**
 * Shows what a tool does, in its owner's words if there are any. Keeps calls that wait, and questions to
 * ask next.
 */
export function beginTool(state: State, frame: FrameOf<"tool_call">): void {
  const { turns, announcements, attempt, calls = [] } = state;
  const { name, args, progress, title = name.replaceAll("_", " "), waitsFor } = frame;
  if (waitsFor) {
    state.calls = [...calls, { ...frame, title, run: attempt!.run!, n: attempt!.n }];
    // Until it is approved, the tool does nothing.
    if (waitsFor !== "page") return;
  }
  if (name === "suggest_follow_ups") turns.at(-1)!.followUps = args;
  else state.tool = progress ?? title;
  // Several calls of the same tool are announced once.
  if (progress && !announcements.includes(progress)) announcements.push(progress);
}

/** Ends the call, and keeps the passages that a search has found. */
export function endTool(state: State, frame: FrameOf<"tool_result">): void {
  state.tool = "";
  state.calls = state.calls?.filter(({ n }) => n !== frame.call);
  addSources(state.turns.at(-1)!, frame);
}
