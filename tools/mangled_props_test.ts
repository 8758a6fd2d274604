import { assertEquals } from "@std/assert";
import { buildSync } from "esbuild";
import type { Frame, FrameOf } from "../lib/schemas/frames.ts";
import type { Attempt, ChatMessage } from "../widget/client/chat_run.ts";
import type { WidgetEvents } from "../widget/emitter.ts";
import type { WidgetScript } from "../widget/find_script.ts";
import type { WidgetHandle } from "../widget/handle.ts";
import type { Handoff, SavedState, TranscriptMessage, WaitingCall } from "../widget/state.ts";
import { EXTRAS_OPTIONS, LAUNCHER_OPTIONS, PANEL_OPTIONS } from "./bundle_widget.ts";
import { MANGLED_PROPS, WIDGET_PROPS } from "./mangled_props.ts";

const ROOT = new URL("../", import.meta.url).pathname;

/** By the build. */
const DEFINED = [
  ...["WIDGET_CSS", "PANEL_FILE", "PANEL_INTEGRITY", "EXTRAS_FILE", "EXTRAS_INTEGRITY"],
  ...["TEXTS_FILE"],
];

/** The fields of each member of a union. */
type Names<T> = Record<T extends unknown ? Exclude<keyof T, symbol | number> : never, true>;
type Details = Exclude<WidgetEvents[keyof WidgetEvents], undefined>;

/** A name that joins one of the types and is missing here does not build. */
const HANDLE: Names<WidgetHandle> = {
  open: true,
  close: true,
  toggle: true,
  send: true,
  stop: true,
  newConversation: true,
  setSessionToken: true,
  setLocale: true,
  setAppearance: true,
  registerTool: true,
  on: true,
  destroy: true,
};
const PAGE: Names<Details> & Record<keyof Pick<WidgetScript, "serviceWidget">, true> = {
  serviceWidget: true,
  text: true,
  conversationId: true,
  runId: true,
  finishReason: true,
  code: true,
  message: true,
};
const STORED: Names<
  | SavedState
  | TranscriptMessage
  | Omit<Handoff, "state">
  | Attempt
  | ChatMessage
  | Omit<WaitingCall, keyof FrameOf<"tool_call">>
> = {
  open: true,
  turns: true,
  nextId: true,
  conversationId: true,
  attempt: true,
  calls: true,
  begun: true,
  draft: true,
  id: true,
  role: true,
  text: true,
  partial: true,
  rating: true,
  sources: true,
  followUps: true,
  files: true,
  handoff: true,
  person: true,
  eventId: true,
  news: true,
  message: true,
  requestedAt: true,
  answerBy: true,
  form: true,
  email: true,
  after: true,
  until: true,
  replaces: true,
  attachments: true,
  key: true,
  run: true,
  n: true,
  messages: true,
  content: true,
  provider: true,
  model: true,
  temperature: true,
  maxOutputTokens: true,
};
const WIRE: Names<Frame> = {
  type: true,
  requestId: true,
  runId: true,
  provider: true,
  model: true,
  conversationId: true,
  handoff: true,
  text: true,
  name: true,
  args: true,
  progress: true,
  title: true,
  pending: true,
  waitsFor: true,
  expiresAt: true,
  call: true,
  output: true,
  inputTokens: true,
  outputTokens: true,
  costUsd: true,
  code: true,
  message: true,
  finishReason: true,
};
/** Of the message, of the answer that mints, of the error envelope, of what search answers. */
const BODIES =
  ("agentId sessionToken expiresAt messageCap details scope passages title questions " +
    "approve signal facts").split(" ");

Deno.test("mangled properties: none of the page, the wire or the tab's storage is among them", () => {
  const public_ = [HANDLE, PAGE, STORED, WIRE].flatMap((names) => Object.keys(names));
  assertEquals([...public_, ...BODIES].filter((name) => MANGLED_PROPS.test(name)), []);
});

Deno.test("mangled properties: each is one that the widget has, listed once and in order", () => {
  const found = [LAUNCHER_OPTIONS, PANEL_OPTIONS, EXTRAS_OPTIONS].flatMap((options) => {
    const { mangleCache } = buildSync({
      ...options,
      absWorkingDir: ROOT,
      bundle: true,
      write: false,
      define: Object.fromEntries(DEFINED.map((name) => [name, '""'])),
      mangleCache: {},
    });
    return Object.keys(mangleCache!);
  });
  assertEquals([...new Set(found)].toSorted(), [...WIDGET_PROPS]);
  assertEquals(WIDGET_PROPS, WIDGET_PROPS.toSorted());
});
