import type { Draft } from "../committer/operation.ts";
import { keys } from "../storage/keys.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { takeFromWindow, type WindowStamps } from "./rate_window.ts";
import type { LimitRefusal } from "./refusal.ts";

/** Windows are garbage once everything in them has left. */
const KEPT_MS = 2 * WINDOW_MS;
const WINDOW_SECONDS = WINDOW_MS / 1000;

/** Both windows of one address in one document. */
interface AddressWindows {
  v: 1;
  all: WindowStamps;
  chat: WindowStamps;
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
  apiKeyId?: string | undefined;
}

/** What is left of a window after a request, for the `RateLimit` header. */
export interface WindowLeft {
  limit: number;
  remaining: number;
}

/** The keys that counting a request of this caller touches. */
export function callerKeys({ address, apiKeyId }: Caller): Deno.KvKey[] {
  const all: Deno.KvKey[] = [keys.addressWindows(address)];
  if (apiKeyId !== undefined) all.push(keys.apiKeyWindow(apiKeyId));
  return all;
}

/** What counting comes to: a refusal, or what is left and how to note it in the draft. */
export type Count =
  | { refused: LimitRefusal }
  | { ip: WindowLeft; key?: WindowLeft; note: () => void };

/**
 * Counts one request, and one message where it is one; `id` (a random 32-bit number) makes it once
 * only. Nothing is written before `note` is called, so
 * that a request which another limit refuses is not counted by halves.
 */
export function countRequest(
  draft: Draft,
  options: { caller: Caller; id: number; message: boolean; now: number; limits: Limits },
): Count {
  const { caller, id, message, now, limits } = options;
  const take = (stamps: WindowStamps, limit: number) =>
    takeFromWindow(stamps, { now, rule: { limit, windowMs: WINDOW_MS } });
  const addressKey = keys.addressWindows(caller.address);
  const windows = draft.get<AddressWindows>(addressKey) ?? NO_WINDOWS;
  if (windows.ids.includes(id)) return alreadyCounted(limits, windows.all.length);
  const ip = take(windows.all, limits.ipRequests);
  if (!ip.admitted) return refuse("ip", limits.ipRequests, ip.retryAfterMs);

  const keyKey = caller.apiKeyId === undefined ? undefined : keys.apiKeyWindow(caller.apiKeyId);
  const key = keyKey && take(draft.get<KeyWindow>(keyKey)?.all ?? [], limits.keyRequests);
  if (key?.admitted === false) return refuse("key", limits.keyRequests, key.retryAfterMs);

  const chat = message ? take(windows.chat, limits.ipMessages) : undefined;
  if (chat?.admitted === false) return refuse("ip_chat", limits.ipMessages, chat.retryAfterMs);

  const note = () => {
    const kept = { expireIn: KEPT_MS };
    const chatStamps = chat?.stamps ?? windows.chat;
    const ids = [...windows.ids.slice(1 - KEPT_IDS), id];
    const noted: AddressWindows = { v: 1, all: ip.stamps, chat: chatStamps, ids };
    draft.set(addressKey, noted, kept);
    if (keyKey && key) draft.set(keyKey, { v: 1, all: key.stamps }, kept);
  };
  const left = { ip: { limit: limits.ipRequests, remaining: ip.remaining }, note };
  return key ? { ...left, key: { limit: limits.keyRequests, remaining: key.remaining } } : left;
}

/** The first commit was made after all; what is left of the key's window is not worth a look. */
function alreadyCounted(limits: Limits, used: number): Count {
  const limit = limits.ipRequests;
  return { ip: { limit, remaining: Math.max(0, limit - used) }, note: () => {} };
}

function refuse(scope: LimitRefusal["scope"], limit: number, retryAfterMs: number): Count {
  return { refused: { scope, limit, windowSeconds: WINDOW_SECONDS, retryAfterMs } };
}
