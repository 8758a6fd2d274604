import { type Context, HttpError } from "fresh";
import type { State } from "../../utils.ts";
import type { ScriptBundle } from "../store/script_bundle.ts";
import { unavailableResponse } from "./error_response.ts";

/** Limits how long browsers miss a new release. */
const SHORT_CACHE = "public, max-age=60, must-revalidate, no-transform";
const IMMUTABLE_CACHE = "public, max-age=31536000, immutable, no-transform";

/** Any page may load a script; checking its integrity requires CORS. */
const CROSS_ORIGIN = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};
/** Tells tools such as Deno where the client's type declarations are. */
export const CLIENT_TYPES_HEADER = { "x-typescript-types": "/client.v1.d.ts" };

const SCRIPT_HEADERS = { ...CROSS_ORIGIN, "content-type": "text/javascript; charset=utf-8" };

export function scriptResponse(
  { body, hash12 }: ScriptBundle,
  more: Record<string, string> = {},
): Response {
  const headers = { ...SCRIPT_HEADERS, ...more, "cache-control": SHORT_CACHE, etag: `"${hash12}"` };
  return new Response(body, { headers });
}

/** A script by its content hash; never changes. */
export async function pinnedScriptResponse(
  ctx: Context<State>,
  name: "widget" | "client",
): Promise<Response> {
  const { releases, log } = ctx.state.service;
  const hash = ctx.params.hash ?? "";
  const script = await releases.find(name, hash).catch((error) => {
    log.error("cannot read a released script", { error });
    return "unavailable" as const;
  });
  if (script === "unavailable") return unavailableResponse(ctx.url);
  if (script === undefined) throw new HttpError(404);
  const more = name === "client" ? CLIENT_TYPES_HEADER : {};
  const cache = { "cache-control": IMMUTABLE_CACHE, etag: `"${hash}"` };
  return new Response(script.body, { headers: { ...SCRIPT_HEADERS, ...more, ...cache } });
}

export function scriptInfoResponse(
  name: "widget" | "client",
  { version, integrity, bytes, hash12 }: ScriptBundle,
): Response {
  const pinned = `/${name}.${version}.${hash12}.js`;
  const headers = { "cache-control": SHORT_CACHE, "access-control-allow-origin": "*" };
  return Response.json({ version, integrity, bytes, pinned }, { headers });
}

export function typesResponse(types: string): Response {
  const headers = {
    ...CROSS_ORIGIN,
    "content-type": "application/typescript; charset=utf-8",
    "cache-control": SHORT_CACHE,
  };
  return new Response(types, { headers });
}
