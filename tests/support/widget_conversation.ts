/** A conversation without a page, on a scripted service. */
import type { Frame } from "../../lib/schemas/frames.ts";
import { Conversation } from "../../widget/conversation.ts";
import { createEmitter } from "../../widget/emitter.ts";
import { Session } from "../../widget/session.ts";
import type { SavedState, State } from "../../widget/state.ts";

export const AGENT = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";
export const RUN = "0b6c7a1e-57c3-4a52-9c1c-3d9a5a1f0e77";
export const OTHER = "0b6c7a1e-57c3-4a52-9c1c-3d9a5a1f0e78";
export const CONVERSATION = "5f1c2d3e-aaaa-4bbb-8ccc-121212121212";
export const TOKEN = "cs_0123456789abcdef";
export const START: Frame = {
  type: "start",
  requestId: "request-1",
  runId: RUN,
  provider: "vendor_a",
  model: "demo",
  conversationId: CONVERSATION,
};
export const ANSWER: Frame[] = [START, { type: "delta", text: "Hi." }, {
  type: "done",
  finishReason: "stop",
}];

export interface RecordedCalls {
  url: string;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- what was sent, whatever it is
  body: any;
  signal: AbortSignal | null | undefined;
}

interface SetUp {
  endpoint?: string;
  saved?: SavedState;
}

/** Sets up a service that returns `answers` in order and repeats the last. */
export function setUp(answers: (() => Response | Promise<Response>)[], options: SetUp = {}) {
  const seen: RecordedCalls[] = [];
  const warnings: string[] = [];
  const emitter = createEmitter();
  const listeners = new Set<() => void>();
  let ids = 0;
  const fetcher = ((input: string, init: RequestInit) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    seen.push({ url: input, headers: new Headers(init.headers), body, signal: init.signal });
    return Promise.resolve((answers.length > 1 ? answers.shift()! : answers[0]!)());
  }) as typeof fetch;
  const now = () => 1_000_000;
  const session = new Session({ token: TOKEN, endpoint: options.endpoint ?? "", fetcher, now });
  const conversation: Conversation = new Conversation({
    apiBase: "https://chat.example",
    agentId: AGENT,
    session,
    fetcher,
    emitter,
    saved: options.saved,
    newId: () => `id-that-is-long-enough-${++ids}`,
    now,
    pause: () => Promise.resolve(),
    describe: (failure) => failure.code,
    warn: (code) => warnings.push(code),
    changed() {
      conversation.announceAnswer(); // as rendering does
      listeners.forEach((listener) => listener());
    },
  });
  /** Waits for a state. */
  const until = (holds: (state: State) => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => holds(conversation.state) && resolve();
      listeners.add(check);
      check();
    });
  const idle = () => until((state) => !state.busy);
  return { conversation, emitter, session, seen, warnings, until, idle };
}

/** Frames as an event stream, numbered from `n`. */
export function text(frames: Frame[], n = 1): string {
  return frames.map((frame, at) => `id: ${RUN}.${n + at}\ndata: ${JSON.stringify(frame)}\n\n`)
    .join("");
}

export function stream(body: BodyInit, headers: Record<string, string> = {}): Response {
  const type = {
    "content-type": "text/event-stream; charset=utf-8",
    "x-run-id": RUN,
    "ratelimit": `"ip";r=99;t=60, "session_messages";r=49;t=900`,
  };
  return new Response(body, { headers: { ...type, ...headers } });
}

export function reject(
  status: number,
  code: string,
  more: { retryAfter?: number; scope?: string } = {},
) {
  const headers = new Headers();
  if (more.retryAfter) headers.set("retry-after", `${more.retryAfter}`);
  const details = more.scope ? { scope: more.scope } : undefined;
  const body = { code, message: "not for visitors", http: status, details };
  return Response.json(body, { status, headers });
}

export const shownMessages = ({ conversation }: ReturnType<typeof setUp>) =>
  conversation.state.turns.map((turn) => turn.text);
