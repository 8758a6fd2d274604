import { type Context, HttpError } from "fresh";
import type { State } from "../../utils.ts";
import { pinnedPath, type ScriptBundle } from "../store/script_bundle.ts";
import type { ScriptName } from "../store/script_release_store.ts";
import { encodeScript } from "./encode_script.ts";
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

export async function scriptResponse(
  { req }: Pick<Context<State>, "req">,
  script: ScriptBundle,
  more: Record<string, string> = {},
): Promise<Response> {
  const { body, headers } = await encodeScript(script, req.headers.get("accept-encoding"));
  return new Response(body, {
    headers: { ...SCRIPT_HEADERS, "cache-control": SHORT_CACHE, ...more, ...headers },
  });
}

/**
 * A script by its content hash; never changes. `select` chooses a part of it, or `undefined` if there
 * is no such part.
 */
export async function pinnedScriptResponse(
  ctx: Context<State>,
  name: ScriptName,
  { more = {}, select = (script) => script }: {
    more?: Record<string, string>;
    select?: (script: ScriptBundle) => ScriptBundle | undefined | Promise<ScriptBundle | undefined>;
  } = {},
): Promise<Response> {
  const { releases, log } = ctx.state.service;
  const hash = ctx.params.hash ?? "";
  const script = await releases.find(name, hash).catch((error) => {
    log.error("cannot read a released script", { error });
    return "unavailable" as const;
  });
  if (script === "unavailable") return unavailableResponse(ctx.url);
  const part = script && await select(script);
  if (part === undefined) throw new HttpError(404);
  return scriptResponse(ctx, part, { ...more, "cache-control": IMMUTABLE_CACHE });
}

export function scriptInfoResponse(
  name: ScriptName,
  script: ScriptBundle,
  more: Record<string, unknown> = {},
): Response {
  const headers = { "cache-control": SHORT_CACHE, "access-control-allow-origin": "*" };
  return Response.json({ ...infoOf(name, script), ...more }, { headers });
}

/** The widget's script, and the files that are loaded later from the same folder. */
export function widgetInfoResponse(
  { widget, panel, extras }: Record<"widget" | "panel" | "extras", ScriptBundle>,
): Response {
  const { version: _, ...panelInfo } = infoOf("widget-panel", panel);
  const { version: __, ...extrasInfo } = infoOf("widget-extras", extras);
  return scriptInfoResponse("widget", widget, { panel: panelInfo, extras: extrasInfo });
}

function infoOf(name: ScriptName, script: ScriptBundle) {
  const { version, integrity, bytes } = script;
  return { version, integrity, bytes, pinned: pinnedPath(name, script) };
}

export function typesResponse(types: string): Response {
  const headers = {
    ...CROSS_ORIGIN,
    "content-type": "application/typescript; charset=utf-8",
    "cache-control": SHORT_CACHE,
  };
  return new Response(types, { headers });
}
