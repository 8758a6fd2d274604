import { ApiError, validationError } from "../schemas/api_error.ts";
import type { ConversationFilter } from "../store/conversations/conversation_store.ts";
import { invalidCursor, type PageRequest } from "../store/values/page.ts";

export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);
}

export function uuidParam(value: string | undefined): string {
  if (value !== undefined && isUuid(value)) return value.toLowerCase();
  throw new ApiError("not_found", "there is nothing at this address");
}

export async function undefinedIfNotFound<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** `?agentId`, lower-cased. Throws 400 unless it is a UUID. */
export function agentIdParam(url: URL): string | undefined {
  const agentId = url.searchParams.get("agentId") ?? undefined;
  if (agentId === undefined || isUuid(agentId)) return agentId?.toLowerCase();
  throw validationError([{ path: "agentId", code: "invalid_format", message: "must be a UUID" }]);
}

/** `?agentId&origin`, which distinguish conversations with the same id. */
export function conversationFilterParams(url: URL): ConversationFilter {
  const origin = url.searchParams.get("origin") ?? undefined;
  return { agentId: agentIdParam(url), origin };
}

/** From `Last-Event-ID` or `?after=` (a frame's id or number); 0 is the beginning. Throws 400. */
export function streamPosition(req: Request, runId: string): number {
  const last = req.headers.get("last-event-id");
  // A reconnecting client keeps its URL, so the header is newer.
  if (last) return parsePosition(last, { runId, path: "Last-Event-ID" });
  const after = new URL(req.url).searchParams.get("after");
  return after ? parsePosition(after, { runId, path: "after" }) : 0;
}

function parsePosition(text: string, { runId, path }: { runId: string; path: string }): number {
  const number = text.startsWith(`${runId}.`) ? text.slice(runId.length + 1) : text;
  if (/^\d{1,9}$/.test(number)) return Number(number);
  const message = "must be the id of a frame of this run, or its number";
  throw validationError([{ path, code: "invalid_position", message }]);
}

const DEFAULT_LIMIT = 20;

/** `?limit&cursor` of a list; limit is 1-100, 20 by default. Throws 400. */
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
