/** Everything the widget shows, and how each event changes it. Pure: no clock, no network, no DOM. */
import type { Frame } from "../lib/wire/frames.ts";
import { EMPTY, type Failure, failureOfRun } from "./failure.ts";

/** Why an answer is not whole, or undefined when it is. */
export type Ending = "stopped" | "cut_off" | "too_long" | "filtered";

export interface Turn {
  /** Unique within the page: the key of its element. */
  readonly id: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly ending?: Ending;
}

/** `waiting` until the first words of an answer, `answering` while they arrive. */
export type Phase = "idle" | "waiting" | "answering";

export interface WidgetState {
  readonly open: boolean;
  /** An answer was completed, or failed, while the panel was closed. */
  readonly unread: boolean;
  readonly phase: Phase;
  readonly usingTool: boolean;
  readonly turns: readonly Turn[];
  readonly nextId: number;
  readonly conversationId?: string;
  readonly failure?: Failure;
  /** What a screen reader is told: whole answers and failures, never single words. */
  readonly announcement: string;
}

export type Action =
  | { readonly type: "opened" | "closed" | "stopped" | "cleared" }
  | { readonly type: "asked"; readonly text: string }
  | { readonly type: "retried" }
  | { readonly type: "framed"; readonly frame: Frame }
  | { readonly type: "failed"; readonly failure: Failure };

export const INITIAL: WidgetState = {
  open: false,
  unread: false,
  phase: "idle",
  usingTool: false,
  turns: [],
  nextId: 1,
  announcement: "",
};

export function reduce(state: WidgetState, action: Action): WidgetState {
  switch (action.type) {
    case "opened":
      return { ...state, open: true, unread: false };
    case "closed":
      return { ...state, open: false, announcement: "" };
    case "asked":
      return ask(state, action.text);
    case "retried":
      return waiting({ ...state, turns: withoutAnswer(state.turns) });
    case "framed":
      return reduceFrame(state, action.frame);
    case "failed":
      return fail(state, action.failure);
    case "stopped":
      return { ...endAnswer(state, "stopped"), phase: "idle", usingTool: false };
    case "cleared":
      return { ...INITIAL, open: state.open, nextId: state.nextId };
    default:
      return action satisfies never;
  }
}

function reduceFrame(state: WidgetState, frame: Frame): WidgetState {
  switch (frame.type) {
    case "start":
      return { ...state, conversationId: frame.conversationId };
    case "delta":
      return frame.text ? append(state, frame.text) : state;
    case "tool_call":
      return { ...state, usingTool: true };
    case "tool_result":
      return { ...state, usingTool: false };
    case "usage":
      return state;
    case "error":
      return { ...state, failure: failureOfRun(frame.code) };
    case "done":
      return finish(state, frame.finishReason);
    default:
      return frame satisfies never;
  }
}

function ask(state: WidgetState, text: string): WidgetState {
  const turn: Turn = { id: state.nextId, role: "user", text };
  return waiting({ ...state, turns: [...state.turns, turn], nextId: state.nextId + 1 });
}

function waiting(state: WidgetState): WidgetState {
  return { ...without(state, "failure"), phase: "waiting", usingTool: false, announcement: "" };
}

function append(state: WidgetState, text: string): WidgetState {
  const last = state.turns.at(-1);
  if (last?.role === "assistant") {
    const grown: Turn = { ...last, text: last.text + text };
    return { ...state, phase: "answering", turns: [...state.turns.slice(0, -1), grown] };
  }
  const turn: Turn = { id: state.nextId, role: "assistant", text };
  return {
    ...state,
    phase: "answering",
    turns: [...state.turns, turn],
    nextId: state.nextId + 1,
  };
}

function finish(state: WidgetState, reason: string): WidgetState {
  const ended = endAnswer(state, endingOf(reason, state.failure));
  const answer = answerOf(ended.turns);
  const settled: WidgetState = { ...ended, phase: "idle", usingTool: false };
  if (state.failure) return fail(settled, state.failure);
  if (!answer) return reason === "cancelled" ? settled : fail(settled, EMPTY);
  return { ...settled, unread: !state.open, announcement: answer };
}

function endingOf(reason: string, failure: Failure | undefined): Ending | undefined {
  if (reason === "cancelled") return "stopped";
  if (reason === "length") return "too_long";
  if (reason === "content_filter") return "filtered";
  return failure ? "cut_off" : undefined;
}

function fail(state: WidgetState, failure: Failure): WidgetState {
  return {
    ...endAnswer(state, "cut_off"),
    phase: "idle",
    usingTool: false,
    failure,
    unread: !state.open,
    announcement: failure.text,
  };
}

function endAnswer(state: WidgetState, ending: Ending | undefined): WidgetState {
  const last = state.turns.at(-1);
  if (last?.role !== "assistant" || !ending || last.ending) return state;
  return { ...state, turns: [...state.turns.slice(0, -1), { ...last, ending }] };
}

/** The text of the answer to the last question; "" when there is none yet. */
export function answerOf(turns: readonly Turn[]): string {
  const last = turns.at(-1);
  return last?.role === "assistant" ? last.text : "";
}

function withoutAnswer(turns: readonly Turn[]): readonly Turn[] {
  return turns.at(-1)?.role === "assistant" ? turns.slice(0, -1) : turns;
}

function without(state: WidgetState, key: "failure"): WidgetState {
  const { [key]: _, ...rest } = state;
  return rest;
}
