import type { Context } from "fresh";
import type { State } from "../../utils.ts";

/** RFC 9110, 8.8.3: the quoted part may contain commas, so a list cannot be split at them. */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/.source;
const TAG_LIST = new RegExp(String.raw`^[\s,]*(?:${TAG}[ \t]*(?:,[\s,]*|$))+$`);

/** The strong entity tag of a version: `"3"`. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * `undefined` for no condition and for `*`. Weak tags count. Unknown tags and malformed lists match
 * no version, so a condition that was not understood prevents the change.
 */
export function ifMatchVersions(req: Request): number[] | undefined {
  const header = req.headers.get("if-match");
  if (header === null || header.trim() === "*") return undefined;
  return parseVersions(header);
}

/** Like `ifMatchVersions`, for tags that are hashes. */
export function ifMatchHashes(req: Request): string[] | undefined {
  const header = req.headers.get("if-match");
  if (header === null || header.trim() === "*") return undefined;
  return parseTags(header).map((tag) => tag.slice(1, -1));
}

/** "any" for `*`, `undefined` for no condition. */
export function ifNoneMatchVersions(req: Request): number[] | "any" | undefined {
  const header = req.headers.get("if-none-match");
  if (header === null) return undefined;
  return header.trim() === "*" ? "any" : parseVersions(header);
}

export function isNotModified(req: Request, version: number): boolean {
  const header = req.headers.get("if-none-match");
  return header !== null && matchesTag(header, entityTag(version));
}

/** True if a list of tags, or `*`, contains an entity tag; weak and strong tags compare equal. */
function matchesTag(header: string, etag: string): boolean {
  return header.trim() === "*" || parseTags(header).includes(etag.replace(/^W\//, ""));
}

function parseVersions(header: string): number[] {
  const versions = parseTags(header).filter((tag) => /^"\d{1,15}"$/.test(tag));
  return versions.map((tag) => Number(tag.slice(1, -1)));
}

/** The tags of a list without `W/`; empty for a malformed list. */
function parseTags(header: string): string[] {
  if (!TAG_LIST.test(header)) return [];
  return [...header.matchAll(new RegExp(TAG, "g"))].map(([tag]) => tag.replace(/^W\//, ""));
}

/** Answers 304 to GET and HEAD (RFC 9110, 13.1.2). Event streams are excluded. */
export async function conditionalResponse(ctx: Context<State>): Promise<Response> {
  const response = await ctx.next();
  const { method } = ctx.req;
  const condition = ctx.req.headers.get("if-none-match");
  if (condition === null || response.status !== 200) return response;
  if (method !== "GET" && method !== "HEAD" || !matchesEtag(response, condition)) return response;
  await response.body?.cancel();
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(null, { status: 304, headers });
}

function matchesEtag({ headers }: Response, condition: string): boolean {
  if (headers.get("content-type")?.startsWith("text/event-stream")) return false;
  const etag = headers.get("etag");
  return etag === null ? condition.trim() === "*" : matchesTag(condition, etag);
}
