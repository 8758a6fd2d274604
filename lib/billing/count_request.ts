import type { Draft } from "../store/tx/operation.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { takeFromWindow, type WindowLeft } from "./rate_window.ts";
import type { LimitRefusal } from "./refusal.ts";
import {
  type Caller,
  type FullShard,
  OpenWindows,
  type StoredWindows,
  windowKey,
  windowLimit,
  windowRefusal,
} from "./request_windows.ts";

/** Of how many requests the ids are kept; a commit is decided again within moments. */
const KEPT_IDS = 128;

/** What is left of the windows that a request was counted in. */
export interface RequestCount {
  ip: WindowLeft;
  key?: WindowLeft;
  /** Messages of the session, until it ends. */
  session_messages?: WindowLeft;
}

/** One request to be counted: `id` (a random 32-bit number) makes it once only. */
export interface CountedRequest {
  caller: Caller;
  id: number;
  /** It is a chat message too. */
  message: boolean;
  now: number;
  limits: Limits;
}

/** What counting comes to: no place, or what is left and how to note it in the draft. */
export type Count =
  | { refused: LimitRefusal }
  | { full: FullShard }
  | { left: RequestCount; note: () => void };

/** The keys that counting a request of this caller touches. */
export function callerKeys(caller: Caller): Deno.KvKey[] {
  const all: Deno.KvKey[] = [windowKey(caller, "address")];
  if (caller.apiKey !== undefined) all.push(windowKey(caller, "key"));
  return all;
}

/**
 * Counts one request, and one message where it is one. Nothing is written before `note` is called, so
 * that a request which another limit refuses is not counted by halves.
 */
export function countRequest(draft: Draft, request: CountedRequest): Count {
  const { caller, id, message, now, limits } = request;
  const address = new OpenWindows(draft, { caller, owner: "address", limits, now });
  const { ids = [], chat: chatBefore = [] } = address.stored;
  // The first commit was made after all; what is left of the key's window is not worth a look.
  if (ids.includes(id)) return { left: { ip: address.left("all") }, note: () => {} };
  const ip = address.take("all");
  if (!("stamps" in ip)) return ip;
  const keyed = caller.apiKey && new OpenWindows(draft, { caller, owner: "key", limits, now });
  const key = keyed?.take("all");
  if (key !== undefined && !("stamps" in key)) return key;
  const chat = message ? address.take("chat") : { stamps: chatBefore };
  if (!("stamps" in chat)) return chat;
  const note = () => {
    address.note({ all: ip.stamps, chat: chat.stamps, ids: withId(ids, id) });
    if (key !== undefined) keyed!.note({ all: key.stamps });
  };
  return { left: { ip: ip.left, ...(key ? { key: key.left } : {}) }, note };
}

/** One resumed stream to be counted; `id` is as in `CountedRequest`. */
export interface CountedResume {
  caller: Caller;
  id: number;
  now: number;
  limits: Limits;
}

/** What counting a resumed stream comes to. */
export type ResumeCount =
  | { refused: LimitRefusal }
  | { full: FullShard }
  | { left: { ip_resume: WindowLeft }; note: () => void };

/**
 * Counts one resumed stream. It has a window of its own, so that a client which lost its connection gets
 * back whatever else its address asks for, and replaying a run again and again is bounded all the same.
 */
export function countResume(draft: Draft, { caller, id, now, limits }: CountedResume): ResumeCount {
  const address = new OpenWindows(draft, { caller, owner: "address", limits, now });
  const { ids = [] } = address.stored;
  if (ids.includes(id)) return { left: { ip_resume: address.left("resumes") }, note: () => {} };
  const taken = address.take("resumes");
  if (!("stamps" in taken)) return taken;
  return {
    left: { ip_resume: taken.left },
    note: () => address.note({ resumes: taken.stamps, ids: withId(ids, id) }),
  };
}

/** The ids with one more, the oldest of too many left out. */
function withId(ids: readonly number[], id: number): number[] {
  return [...ids.slice(1 - KEPT_IDS), id];
}

/** Whether the address's window is full, as far as memory knows: it only fills up until time passes. */
export function fullWindow(
  windows: StoredWindows | undefined,
  { now, limits, scope }: { now: number; limits: Limits; scope: "ip" | "ip_resume" },
): LimitRefusal | undefined {
  const window = scope === "ip" ? "all" : "resumes";
  const which: FullShard = { owner: "address", window };
  const limit = windowLimit(which, limits);
  const rule = { limit, windowMs: WINDOW_MS };
  const tried = takeFromWindow(windows?.[window] ?? [], { now, rule });
  return tried.admitted
    ? undefined
    : windowRefusal(which, { limit, retryAfterMs: tried.retryAfterMs });
}
