import { type Context, HttpError } from "fresh";
import type { State } from "../../utils.ts";
import type { ScriptBundle } from "../store/script_bundle.ts";
import { unavailableResponse } from "./error_response.ts";

/** For as long as a release may go unnoticed. */
const SHORT_CACHE = "public, max-age=60, must-revalidate, no-transform";
const IMMUTABLE_CACHE = "public, max-age=31536000, immutable, no-transform";

/**
 * Any page may load a script, and its integrity can only be checked when the answer says so
 * (`crossorigin="anonymous"`).
 */
const CROSS_ORIGIN = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};
/** Where tools that read it, such as Deno, find the client's types. */
export const CLIENT_TYPES_HEADER = { "x-typescript-types": "/client.v1.d.ts" };

const SCRIPT_HEADERS = { ...CROSS_ORIGIN, "content-type": "text/javascript; charset=utf-8" };

/** The current script under the name of its major version. */
export function scriptResponse(
  { body, hash12 }: ScriptBundle,
  more: Record<string, string> = {},
): Response {
  const headers = { ...SCRIPT_HEADERS, ...more, "cache-control": SHORT_CACHE, etag: `"${hash12}"` };
  return new Response(body, { headers });
}

/** A script under the name of its content: what it answers never changes. */
export async function pinnedScriptResponse(
  ctx: Context<State>,
  name: "widget" | "client",
): Promise<Response> {
  const { releases, log } = ctx.state.service;
  const hash = ctx.params.hash ?? "";
  const found = releases.find(name, hash);
  const script = await found.catch((error) => {
    log.error("a released script could not be read", { error });
    return "unknown" as const;
  });
  if (script === "unknown") return unavailableResponse(ctx.url);
  if (script === undefined) throw new HttpError(404);
  const more = name === "client" ? CLIENT_TYPES_HEADER : {};
  const headers = {
    ...SCRIPT_HEADERS,
    ...more,
    "cache-control": IMMUTABLE_CACHE,
    etag: `"${hash}"`,
  };
  return new Response(script.body, { headers });
}

/** What the current script is, for those who write its tag. */
export function scriptInfoResponse(
  name: "widget" | "client",
  { version, integrity, bytes, hash12 }: ScriptBundle,
): Response {
  const pinned = `/${name}.${version}.${hash12}.js`;
  const headers = { "cache-control": SHORT_CACHE, "access-control-allow-origin": "*" };
  return Response.json({ version, integrity, bytes, pinned }, { headers });
}

/** The declarations that go with a script. */
export function typesResponse(types: string): Response {
  const headers = {
    ...CROSS_ORIGIN,
    "content-type": "application/typescript; charset=utf-8",
    "cache-control": SHORT_CACHE,
  };
  return new Response(types, { headers });
}
