/** Follows one run to its `done` frame, across any number of broken connections. */
import type { Frame } from "../lib/wire/frames.ts";
import { SseDecoder } from "../lib/wire/frame_decoder.ts";
import type { Refusal } from "./failure.ts";
import type { ChatMessage } from "./history.ts";
import type { Session } from "./session.ts";

/** What is repeated, byte for byte apart from the token, when a connection broke. Survives a reload. */
export interface Attempt {
  readonly key: string;
  readonly messages: readonly ChatMessage[];
  readonly conversationId?: string | undefined;
  run?: string;
  /** Number of the last frame that was taken: a lower one is never taken again. */
  n: number;
}

/** An attempt that is being followed. */
export interface Line {
  readonly attempt: Attempt;
  /** Aborting it drops the connection under way; following goes on with the next. */
  link?: AbortController;
  /** The visitor has stopped it: no new connection, no retry. */
  left?: boolean;
  /** When bytes last came, in milliseconds since the epoch. */
  heard: number;
  requestId?: string;
}

export interface FollowOptions {
  /** Without a trailing slash. */
  readonly apiBase: string;
  readonly agentId: string;
  readonly session: Session;
  readonly fetcher: typeof fetch;
  readonly newId: () => string;
  readonly now: () => number;
  /** Waits before the next try; may end early when the network is back. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface FollowEvents {
  readonly onAccepted: (replayed: boolean) => void;
  readonly onFrame: (frame: Frame) => void;
  /** The connection broke and is tried again. */
  readonly onLost: () => void;
}

export type Outcome = "done" | "dropped" | Refusal;

const MAX_TRIES = 6;
/** The service is heard at least every 10 seconds; this much silence is a dead connection. */
const SILENCE_MS = 30_000;

export async function follow(
  line: Line,
  options: FollowOptions & FollowEvents,
): Promise<Outcome> {
  const { attempt } = line;
  let canResume = true;
  let renewed = false;
  for (let tries = 0;;) {
    const before = attempt.n;
    const resuming = canResume && !!attempt.run && attempt.n > 0;
    const outcome = await connect(line, { ...options, resuming });
    if (outcome === "done" || line.left) return outcome;
    if (outcome !== "dropped") {
      if (isSessionOver(outcome) && !renewed && await options.session.renew()) {
        renewed = true;
        continue;
      }
      // Without the route the message is sent again: its key makes it the same run.
      if (resuming && outcome.status === 404) {
        canResume = false;
        continue;
      }
      if (!attempt.run || outcome.status < 502) return outcome;
    }
    if (attempt.n > before) tries = 0;
    if (++tries > MAX_TRIES) return outcome;
    options.onLost();
    await options.pause(250 * 2 ** tries);
    if (line.left) return outcome;
  }
}

type Connect = FollowOptions & FollowEvents & { readonly resuming: boolean };

async function connect(line: Line, options: Connect): Promise<Outcome> {
  const token = await options.session.token();
  if (!token) return { status: 401, code: "session_token_missing" };
  const { signal } = line.link = new AbortController();
  try {
    const response = await request(line, { ...options, token, signal });
    line.requestId = response.headers.get("x-request-id") ?? "";
    if (!isStream(response)) return await refusedBy(response);
    line.attempt.run ??= response.headers.get("x-run-id") ?? "";
    options.onAccepted(options.resuming || response.headers.has("idempotency-replayed"));
    return await readFrames(line, response, options);
  } catch {
    return "dropped";
  }
}

function request(
  { attempt: { key, run, n, ...said } }: Line,
  { apiBase, agentId, fetcher, newId, resuming, token, signal }:
    & Connect
    & { readonly token: string; readonly signal: AbortSignal },
): Promise<Response> {
  const common = { signal, credentials: "omit", cache: "no-store" } as const;
  const session = { "x-service-session": token };
  if (resuming) {
    const after = `${apiBase}/v1/chat/runs/${run}/stream?after=${run}.${n}`;
    return fetcher(after, { ...common, headers: session });
  }
  return fetcher(`${apiBase}/v1/chat/stream`, {
    ...common,
    method: "POST",
    headers: { ...session, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ agentId, sessionToken: token, ...said, requestId: newId() }),
  });
}

async function readFrames(line: Line, response: Response, options: Connect): Promise<Outcome> {
  const decoder = new SseDecoder();
  const reader = response.body!.getReader();
  for (;;) {
    line.heard = options.now();
    const timer = setTimeout(() => line.link!.abort(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return "dropped";
    for (const { id, data } of decoder.push(value)) {
      if (!isNew(line.attempt, id)) continue;
      const frame: Frame = JSON.parse(data);
      options.onFrame(frame);
      if (frame.type === "done") return "done";
    }
  }
}

/** However often a frame is sent, it is taken once. */
function isNew(attempt: Attempt, id: string): boolean {
  const [run, n] = id.split(".");
  if (!n) return true;
  if (run !== attempt.run) attempt.n = 0;
  attempt.run = run!;
  if (+n <= attempt.n) return false;
  attempt.n = +n;
  return true;
}

async function refusedBy(response: Response): Promise<Refusal> {
  const body = await response.json().catch(() => undefined);
  return {
    status: response.ok ? 502 : response.status,
    code: body?.code ?? "unexpected_response",
    scope: body?.details?.scope,
    retryAfter: parseInt(response.headers.get("retry-after")!) || 1,
  };
}

function isSessionOver({ status, scope }: Refusal): boolean {
  return status === 401 || scope === "session_messages";
}

function isStream({ ok, body, headers }: Response): boolean {
  return ok && !!body && /^text\/event-stream/.test(headers.get("content-type")!);
}
