import type { Draft } from "../committer/operation.ts";
import { keys } from "../storage/keys.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { leftInWindow, takeFromWindow, type WindowLeft, type WindowStamps } from "./rate_window.ts";
import type { LimitRefusal } from "./refusal.ts";

/** An address's windows are garbage once everything in them has left. */
const KEPT_MS = 2 * WINDOW_MS;
const WINDOW_SECONDS = WINDOW_MS / 1000;

/** The windows of one address in one document. */
export interface AddressWindows {
  v: 1;
  all: WindowStamps;
  chat: WindowStamps;
  /** Streams resumed; absent from what earlier releases stored. */
  resumes?: WindowStamps;
  /** Ids of the latest requests: one whose commit had an unknown outcome recognises itself. */
  ids: readonly number[];
}

/** Of how many requests the ids are kept; a commit is decided again within moments. */
const KEPT_IDS = 128;

const NO_WINDOWS: AddressWindows = { v: 1, all: [], chat: [], ids: [] };

interface KeyWindow {
  v: 1;
  all: WindowStamps;
}

/** Who is counted: an address as it is stored (never in the clear), and the API key if there is one. */
export interface Caller {
  address: string;
  apiKey?: { tenant: string; id: string } | undefined;
}

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

/** What counting comes to: a refusal, or what is left and how to note it in the draft. */
export type Count = { refused: LimitRefusal } | { left: RequestCount; note: () => void };

/** The keys that counting a request of this caller touches. */
export function callerKeys({ address, apiKey }: Caller): Deno.KvKey[] {
  const all: Deno.KvKey[] = [keys.addressWindows(address)];
  if (apiKey !== undefined) all.push(keys.apiKeyWindow(apiKey.tenant, apiKey.id));
  return all;
}

/**
 * Counts one request, and one message where it is one. Nothing is written before `note` is called, so
 * that a request which another limit refuses is not counted by halves.
 */
export function countRequest(draft: Draft, request: CountedRequest): Count {
  const { caller, id, message, now, limits } = request;
  const take = (stamps: WindowStamps, limit: number) =>
    takeFromWindow(stamps, { now, rule: { limit, windowMs: WINDOW_MS } });
  const addressKey = keys.addressWindows(caller.address);
  const windows = draft.get<AddressWindows>(addressKey) ?? NO_WINDOWS;
  if (windows.ids.includes(id)) return alreadyCounted(windows, request);
  const ip = take(windows.all, limits.ipRequests);
  if (!ip.admitted) return refuse("ip", limits.ipRequests, ip.retryAfterMs);

  const keyKey = caller.apiKey && keys.apiKeyWindow(caller.apiKey.tenant, caller.apiKey.id);
  const key = keyKey && take(draft.get<KeyWindow>(keyKey)?.all ?? [], limits.keyRequests);
  if (key?.admitted === false) return refuse("key", limits.keyRequests, key.retryAfterMs);

  const chat = message ? take(windows.chat, limits.ipMessages) : undefined;
  if (chat?.admitted === false) return refuse("ip_chat", limits.ipMessages, chat.retryAfterMs);

  const note = () => {
    const chatStamps = chat?.stamps ?? windows.chat;
    const ids = withId(windows.ids, id);
    const noted: AddressWindows = { ...windows, all: ip.stamps, chat: chatStamps, ids };
    draft.set(addressKey, noted, { expireIn: KEPT_MS });
    // A key's window stays: its newest stamp is when the key was last used.
    if (keyKey && key) draft.set(keyKey, { v: 1, all: key.stamps } satisfies KeyWindow);
  };
  return { left: { ip: ip.left, ...(key ? { key: key.left } : {}) }, note };
}

/** One resumed stream to be counted; `id` is as in `CountedRequest`. */
export interface CountedResume {
  address: string;
  id: number;
  now: number;
  limits: Limits;
}

/** What counting a resumed stream comes to. */
export type ResumeCount =
  | { refused: LimitRefusal }
  | { left: { ip_resume: WindowLeft }; note: () => void };

/**
 * Counts one resumed stream. It has a window of its own, so that a client which lost its connection gets
 * back whatever else its address asks for, and replaying a run again and again is bounded all the same.
 */
export function countResume(
  draft: Draft,
  { address, id, now, limits }: CountedResume,
): ResumeCount {
  const key = keys.addressWindows(address);
  const windows = draft.get<AddressWindows>(key) ?? NO_WINDOWS;
  const rule = { limit: limits.ipResumes, windowMs: WINDOW_MS };
  const before = windows.resumes ?? [];
  if (windows.ids.includes(id)) {
    return { left: { ip_resume: leftInWindow(before, { now, rule }) }, note: () => {} };
  }
  const taken = takeFromWindow(before, { now, rule });
  if (!taken.admitted) return refuse("ip_resume", rule.limit, taken.retryAfterMs);
  const ids = withId(windows.ids, id);
  const noted: AddressWindows = { ...windows, resumes: taken.stamps, ids };
  return {
    left: { ip_resume: taken.left },
    note: () => draft.set(key, noted, { expireIn: KEPT_MS }),
  };
}

/** The ids with one more, the oldest of too many left out. */
function withId(ids: readonly number[], id: number): number[] {
  return [...ids.slice(1 - KEPT_IDS), id];
}

/** Whether the address's window is full, as far as memory knows: it only fills up until time passes. */
export function fullWindow(
  windows: AddressWindows | undefined,
  { now, limits, scope }: { now: number; limits: Limits; scope: "ip" | "ip_resume" },
): LimitRefusal | undefined {
  const limit = scope === "ip" ? limits.ipRequests : limits.ipResumes;
  const stamps = (scope === "ip" ? windows?.all : windows?.resumes) ?? [];
  const tried = takeFromWindow(stamps, { now, rule: { limit, windowMs: WINDOW_MS } });
  if (tried.admitted) return undefined;
  return refuse(scope, limit, tried.retryAfterMs).refused;
}

/** The first commit was made after all; what is left of the key's window is not worth a look. */
function alreadyCounted(windows: AddressWindows, { now, limits }: CountedRequest): Count {
  const rule = { limit: limits.ipRequests, windowMs: WINDOW_MS };
  return { left: { ip: leftInWindow(windows.all, { now, rule }) }, note: () => {} };
}

function refuse(scope: LimitRefusal["scope"], limit: number, retryAfterMs: number) {
  return { refused: { scope, limit, windowSeconds: WINDOW_SECONDS, retryAfterMs } };
}
