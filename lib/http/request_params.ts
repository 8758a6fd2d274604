import { ApiError, validationError } from "../schemas/api_error.ts";
import type { ConversationFilter } from "../store/conversations/conversation_store.ts";
import { invalidCursor, type PageRequest } from "../store/values/page.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** An id from the path, lower-cased; what is no UUID names nothing, hence 404. */
export function uuidParam(value: string | undefined): string {
  if (value !== undefined && isUuid(value)) return value.toLowerCase();
  throw new ApiError("not_found", "there is nothing at this address");
}

/** `?agentId`, lower-cased; 400 for what is no UUID. */
export function agentIdParam(url: URL): string | undefined {
  const agentId = url.searchParams.get("agentId") ?? undefined;
  if (agentId === undefined || isUuid(agentId)) return agentId?.toLowerCase();
  throw validationError([{ path: "agentId", code: "invalid_format", message: "must be a UUID" }]);
}

/** `?agentId&origin`, which tell apart conversations that share an id. */
export function conversationFilterParams(url: URL): ConversationFilter {
  const origin = url.searchParams.get("origin") ?? undefined;
  return { agentId: agentIdParam(url), origin };
}

/**
 * After which frame a follower goes on: `Last-Event-ID` or else `?after=`, a frame's id or its number; 0,
 * and nothing at all, is the beginning. 400 for what is no position in this run.
 */
export function streamPosition(req: Request, runId: string): number {
  const last = req.headers.get("last-event-id");
  // Whoever comes back does so to the same URL: the header says how far it has come since.
  if (last) return parsePosition(last, { runId, path: "Last-Event-ID" });
  const asked = new URL(req.url).searchParams.get("after");
  return asked ? parsePosition(asked, { runId, path: "after" }) : 0;
}

function parsePosition(text: string, { runId, path }: { runId: string; path: string }): number {
  const number = text.startsWith(`${runId}.`) ? text.slice(runId.length + 1) : text;
  if (/^\d{1,9}$/.test(number)) return Number(number);
  const message = "must be the id of a frame of this run, or its number";
  throw validationError([{ path, code: "invalid_position", message }]);
}

const DEFAULT_LIMIT = 20;

/** `?limit&cursor` of a list: limit 1-100, 20 unless told. */
export function pageRequestParams(url: URL): PageRequest {
  const limit = url.searchParams.get("limit");
  const cursor = url.searchParams.get("cursor") ?? undefined;
  const n = limit === null ? DEFAULT_LIMIT : /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (n < 1 || n > 100) {
    throw validationError([{ path: "limit", code: "out_of_range", message: "must be 1-100" }]);
  }
  if (cursor !== undefined && !/^[\w+/=-]{1,512}$/.test(cursor)) throw invalidCursor();
  return { limit: n, cursor };
}
