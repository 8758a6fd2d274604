import type { WidgetBundle } from "../widget_bundle.ts";

/** For as long as a release may go unnoticed. */
const FRESH = "public, max-age=60, must-revalidate, no-transform";
const FOR_EVER = "public, max-age=31536000, immutable, no-transform";

/**
 * Any page may load a script, and its integrity can only be checked when the answer says so
 * (`crossorigin="anonymous"`).
 */
const ANYWHERE = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};
const SCRIPT = { ...ANYWHERE, "content-type": "text/javascript; charset=utf-8" };

/** The current script under the name of its major version. */
export function scriptResponse(
  req: Request,
  { body, hash12 }: WidgetBundle,
  more: Record<string, string> = {},
): Response {
  const etag = `"${hash12}"`;
  const headers = { ...SCRIPT, ...more, "cache-control": FRESH, etag };
  const known = (req.headers.get("if-none-match") ?? "").includes(etag);
  return known ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}

/** A script under the name of its content: what it answers never changes. */
export function pinnedResponse(
  { body }: WidgetBundle,
  more: Record<string, string> = {},
): Response {
  return new Response(body, { headers: { ...SCRIPT, ...more, "cache-control": FOR_EVER } });
}

/** What the current script is, for those who write its tag. */
export function scriptInfo(
  name: "widget" | "client",
  { version, integrity, bytes, hash12 }: WidgetBundle,
): Response {
  const pinned = `/${name}.${version}.${hash12}.js`;
  const headers = { "cache-control": FRESH, "access-control-allow-origin": "*" };
  return Response.json({ version, integrity, bytes, pinned }, { headers });
}

/** The declarations that go with a script. */
export function typesResponse(types: string): Response {
  const headers = {
    ...ANYWHERE,
    "content-type": "application/typescript; charset=utf-8",
    "cache-control": FRESH,
  };
  return new Response(types, { headers });
}

/** Where tools that read it, such as Deno, find the client's types. */
export const CLIENT_TYPES = { "x-typescript-types": "/client.v1.d.ts" };
