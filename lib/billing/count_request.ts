import type { Transaction } from "../store/tx/operation.ts";
import type { LimitRejection } from "./limit_error.ts";
import type { Limits } from "./limits.ts";
import type { WindowStatus } from "./rate_window.ts";
import { type Caller, WindowCounter, windowKey, type WindowRef } from "./request_windows.ts";

/** Request ids that an address's record keeps; a commit is retried within moments. */
const REMEMBERED_IDS = 128;

/** What remains of the windows that a request was counted in. */
export interface RateLimitStatus {
  ip: WindowStatus;
  key?: WindowStatus;
  /** Messages of the session, until it ends. */
  session_messages?: WindowStatus;
}

/** One request to be counted, once per `id` (a random 32-bit number). */
export type CountedRequest = { caller: Caller; id: number; now: number; limits: Limits };

/** The result of counting; nothing is stored before `record`. */
export type CountResult<Status = RateLimitStatus> =
  | { rejected: LimitRejection }
  | { full: WindowRef }
  | { windows: Status; record: () => void };

export function callerKeys(caller: Caller): Deno.KvKey[] {
  const all: Deno.KvKey[] = [windowKey(caller, "address")];
  if (caller.apiKey !== undefined) all.push(windowKey(caller, "key"));
  return all;
}

/**
 * Counts one request, and one message if it is one. The caller records it only if no other limit rejects
 * the request, so that a request is counted in all windows or in none.
 */
export function countRequest(
  tx: Transaction,
  { caller, id, isMessage, limits, now }: CountedRequest & { isMessage: boolean },
): CountResult {
  const address = new WindowCounter(tx, { caller, owner: "address", limits, now });
  const { ids = [] } = address.stored;
  // An earlier commit of unknown outcome has counted it. The key's window is left out of the status.
  if (ids.includes(id)) return { windows: { ip: address.status("all") }, record: () => {} };
  const ip = address.take("all");
  if (!("times" in ip)) return ip;
  const keyed = caller.apiKey && new WindowCounter(tx, { caller, owner: "key", limits, now });
  const key = keyed?.take("all");
  if (key !== undefined && !("times" in key)) return key;
  const chat = isMessage ? address.take("chat") : undefined;
  if (chat !== undefined && !("times" in chat)) return chat;
  const record = () => {
    const taken = { all: ip.times, ...chat && { chat: chat.times } };
    address.record(taken, { ids: appendId(ids, id) });
    if (key === undefined) return;
    const { network } = caller;
    keyed!.record({ all: key.times }, network === undefined ? {} : { from: network });
  };
  return { windows: { ip: ip.status, ...(key ? { key: key.status } : {}) }, record };
}

/**
 * Counts one resumed stream. It has its own window, so that a disconnected client can resume whatever else
 * its address requests, and replaying a run again and again is still limited.
 */
export function countResume(
  tx: Transaction,
  { caller, id, limits, now }: CountedRequest,
): CountResult<{ ip_resume: WindowStatus }> {
  const address = new WindowCounter(tx, { caller, owner: "address", limits, now });
  const { ids = [] } = address.stored;
  if (ids.includes(id)) {
    return { windows: { ip_resume: address.status("resumes") }, record: () => {} };
  }
  const taken = address.take("resumes");
  if (!("times" in taken)) return taken;
  return {
    windows: { ip_resume: taken.status },
    record: () => address.record({ resumes: taken.times }, { ids: appendId(ids, id) }),
  };
}

function appendId(ids: readonly number[], id: number): number[] {
  return [...ids.slice(1 - REMEMBERED_IDS), id];
}
