import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { matchesTag } from "./entity_tag.ts";

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
