import { ApiError, parseOrThrow, validationError } from "../schemas/api_error.ts";
import type { ConversationFilter } from "../store/conversations/conversation_filter.ts";
import { RESULT_FORMATS, type ResultFormat } from "../schemas/test_run.ts";
import { visitorPathSchema } from "../schemas/visitor.ts";
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

/** The `:id` of `/v1/visitors/:id/…`, which may have any character. Throws 400 for no valid id. */
export function visitorIdParam({ pathname }: URL): string {
  const [, , , segment = ""] = pathname.split("/");
  return parseOrThrow(visitorPathSchema, { id: decodeSegment(segment) }).id;
}

/** The router keeps `%2F` and `%40`; a text that is not encoded stays as it is. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** `?agentId`, lower-cased. Throws 400 unless it is a UUID. */
export function agentIdParam(url: URL): string | undefined {
  const agentId = url.searchParams.get("agentId") ?? undefined;
  if (agentId === undefined || isUuid(agentId)) return agentId?.toLowerCase();
  throw validationError([{ path: "agentId", code: "invalid_format", message: "must be a UUID" }]);
}

/** `?pages=keep` of a website source that is deleted. Throws 400 for another value. */
export function keepPagesParam(url: URL): boolean {
  const pages = url.searchParams.get("pages") ?? "delete";
  if (pages === "keep" || pages === "delete") return pages === "keep";
  const message = "must be keep or delete";
  throw validationError([{ path: "pages", code: "invalid_value", message }]);
}

/** `?before` of a comparison, lower-cased. Throws 400 unless it is a UUID. */
export function beforeParam(url: URL): string | undefined {
  const before = url.searchParams.get("before") ?? undefined;
  if (before === undefined || isUuid(before)) return before?.toLowerCase();
  throw validationError([{ path: "before", code: "invalid_format", message: "must be a UUID" }]);
}

/** `?format` of exported results, `jsonl` by default. Throws 400 for another value. */
export function resultFormatParam(url: URL): ResultFormat {
  const format = url.searchParams.get("format") ?? "jsonl";
  const known = RESULT_FORMATS.find((one) => one === format);
  if (known !== undefined) return known;
  const message = `must be ${RESULT_FORMATS.join(" or ")}`;
  throw validationError([{ path: "format", code: "invalid_value", message }]);
}

/** `?agentId&origin&visitorId`, which distinguish conversations with the same id. */
export function conversationFilterParams(url: URL): ConversationFilter {
  const read = (name: string) => url.searchParams.get(name) ?? undefined;
  const visitor = { visitor: read("visitor"), visitorId: read("visitorId") };
  return { agentId: agentIdParam(url), origin: read("origin"), ...visitor };
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
