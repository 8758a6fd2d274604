import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { isTagNamed } from "./entity_tag.ts";

/**
 * 304 instead of what the client has already: GET and HEAD of whatever answers with an `ETag` that
 * `If-None-Match` names, alone, in a list, or as `*`.
 */
export async function conditionalResponse(ctx: Context<State>): Promise<Response> {
  const response = await ctx.next();
  const { method, headers: asked } = ctx.req;
  const known = asked.get("if-none-match");
  const etag = response.headers.get("etag");
  if (known === null || etag === null || response.status !== 200) return response;
  if (method !== "GET" && method !== "HEAD" || !isTagNamed(known, etag)) return response;
  await response.body?.cancel();
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(null, { status: 304, headers });
}
