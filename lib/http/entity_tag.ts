import type { Context } from "fresh";
import type { State } from "../../utils.ts";

/** RFC 9110, 8.8.3: the quoted part may hold commas, so a list is not split at them. */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/.source;
const TAG_LIST = new RegExp(String.raw`^[\s,]*(?:${TAG}[ \t]*(?:,[\s,]*|$))+$`);

/** The strong entity tag of a version: `"3"`. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * The versions that `If-Match` lets a change go ahead on; `undefined` for no condition, which `*` is
 * for what must exist anyway. Weak tags count. A tag of somebody else's, and what is no list of tags,
 * names none: nothing is changed on a condition that was not understood.
 */
export function ifMatchVersions(req: Request): number[] | undefined {
  const header = req.headers.get("if-match");
  if (header === null || header.trim() === "*") return undefined;
  return parseVersions(header);
}

/**
 * The versions that `If-None-Match` keeps a change from going ahead on: "any" for `*`, `undefined` for no
 * condition.
 */
export function ifNoneMatchVersions(req: Request): number[] | "any" | undefined {
  const header = req.headers.get("if-none-match");
  if (header === null) return undefined;
  return header.trim() === "*" ? "any" : parseVersions(header);
}

/** Whether `If-None-Match` already names `version`; `*` names every one. */
export function isNotModified(req: Request, version: number): boolean {
  const header = req.headers.get("if-none-match");
  return header !== null && matchesTag(header, entityTag(version));
}

/** Whether a list of tags, or `*`, names an entity tag; weak and strong ones are alike. */
export function matchesTag(header: string, etag: string): boolean {
  return header.trim() === "*" || parseTags(header).includes(etag.replace(/^W\//, ""));
}

function parseVersions(header: string): number[] {
  return parseTags(header).filter((tag) => /^"\d{1,15}"$/.test(tag)).map((tag) =>
    Number(tag.slice(1, -1))
  );
}

/** The tags of a list without their weakness; none when it is not one. */
function parseTags(header: string): string[] {
  if (!TAG_LIST.test(header)) return [];
  return [...header.matchAll(new RegExp(TAG, "g"))].map(([tag]) => tag.replace(/^W\//, ""));
}

/**
 * 304 for a GET or HEAD whose `If-None-Match` names the response's `ETag`, alone or in a list, or is `*`,
 * which any existing resource matches (RFC 9110, 13.1.2). A live stream is no stored representation.
 */
export async function conditionalResponse(ctx: Context<State>): Promise<Response> {
  const response = await ctx.next();
  const { method, headers: asked } = ctx.req;
  const known = asked.get("if-none-match");
  if (known === null || response.status !== 200) return response;
  if (method !== "GET" && method !== "HEAD" || !matchesEtag(response, known)) return response;
  await response.body?.cancel();
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(null, { status: 304, headers });
}

function matchesEtag({ headers }: Response, known: string): boolean {
  if (headers.get("content-type")?.startsWith("text/event-stream")) return false;
  const etag = headers.get("etag");
  return etag === null ? known.trim() === "*" : matchesTag(known, etag);
}
