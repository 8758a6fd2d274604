import type { Transaction } from "../store/tx/operation.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { takeFromWindow, type WindowStatus } from "./rate_window.ts";
import type { LimitRejection } from "./limit_error.ts";
import {
  type Caller,
  type StoredWindows,
  WindowCounter,
  windowKey,
  windowLimit,
  type WindowRef,
  windowRejection,
} from "./request_windows.ts";

/** Of how many requests the ids are kept; a commit is decided again within moments. */
const REMEMBERED_IDS = 128;

/** What is left of the windows that a request was counted in. */
export interface RateLimitStatus {
  ip: WindowStatus;
  key?: WindowStatus;
  /** Messages of the session, until it ends. */
  session_messages?: WindowStatus;
}

/** One request to be counted: `id` (a random 32-bit number) makes it once only. */
export interface CountedRequest {
  caller: Caller;
  id: number;
  /** It is a chat message too. */
  isMessage: boolean;
  now: number;
  limits: Limits;
}

/** What counting comes to: no place, or what is left and how to note it in the draft. */
export type CountResult =
  | { rejected: LimitRejection }
  | { full: WindowRef }
  | { windows: RateLimitStatus; record: () => void };

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
export function countRequest(draft: Transaction, request: CountedRequest): CountResult {
  const { caller, id, isMessage, now, limits } = request;
  const address = new WindowCounter(draft, { caller, owner: "address", limits, now });
  const { ids = [], chat: chatBefore = [] } = address.stored;
  // The first commit was made after all; what is left of the key's window is not worth a look.
  if (ids.includes(id)) return { windows: { ip: address.status("all") }, record: () => {} };
  const ip = address.take("all");
  if (!("stamps" in ip)) return ip;
  const keyed = caller.apiKey && new WindowCounter(draft, { caller, owner: "key", limits, now });
  const key = keyed?.take("all");
  if (key !== undefined && !("stamps" in key)) return key;
  const chat = isMessage ? address.take("chat") : { stamps: chatBefore };
  if (!("stamps" in chat)) return chat;
  const note = () => {
    address.record({ all: ip.stamps, chat: chat.stamps, ids: appendId(ids, id) });
    if (key !== undefined) keyed!.record({ all: key.stamps });
  };
  return { windows: { ip: ip.status, ...(key ? { key: key.status } : {}) }, record: note };
}

/** One resumed stream to be counted; `id` is as in `CountedRequest`. */
export interface CountedResume {
  caller: Caller;
  id: number;
  now: number;
  limits: Limits;
}

/** What counting a resumed stream comes to. */
export type ResumeCountResult =
  | { rejected: LimitRejection }
  | { full: WindowRef }
  | { windows: { ip_resume: WindowStatus }; record: () => void };

/**
 * Counts one resumed stream. It has a window of its own, so that a client which lost its connection gets
 * back whatever else its address asks for, and replaying a run again and again is bounded all the same.
 */
export function countResume(
  draft: Transaction,
  { caller, id, now, limits }: CountedResume,
): ResumeCountResult {
  const address = new WindowCounter(draft, { caller, owner: "address", limits, now });
  const { ids = [] } = address.stored;
  if (ids.includes(id)) {
    return { windows: { ip_resume: address.status("resumes") }, record: () => {} };
  }
  const taken = address.take("resumes");
  if (!("stamps" in taken)) return taken;
  return {
    windows: { ip_resume: taken.status },
    record: () => address.record({ resumes: taken.stamps, ids: appendId(ids, id) }),
  };
}

/** The ids with one more, the oldest of too many left out. */
function appendId(ids: readonly number[], id: number): number[] {
  return [...ids.slice(1 - REMEMBERED_IDS), id];
}

/** Whether the address's window is full, as far as memory knows: it only fills up until time passes. */
export function fullWindowRejection(
  windows: StoredWindows | undefined,
  { now, limits, scope }: { now: number; limits: Limits; scope: "ip" | "ip_resume" },
): LimitRejection | undefined {
  const window = scope === "ip" ? "all" : "resumes";
  const which: WindowRef = { owner: "address", window };
  const limit = windowLimit(which, limits);
  const rule = { limit, windowMs: WINDOW_MS };
  const tried = takeFromWindow(windows?.[window] ?? [], { now, rule });
  return tried.admitted
    ? undefined
    : windowRejection(which, { limit, retryAfterMs: tried.retryAfterMs });
}
