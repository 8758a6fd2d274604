import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { describeScript, type ScriptBundle } from "../store/script_bundle.ts";
import { pinnedScriptResponse } from "./script_response.ts";

type Bundles = Map<string, Promise<ScriptBundle>>;

/** Kept, because each is compressed once. */
const languagesOf = new WeakMap<ScriptBundle, Bundles>();

/**
 * The texts of the widget's extras as JSON, by language. `?lang=` selects one; an unknown language is a
 * 404. A copy on another host, which does not know the query, has them all.
 */
export function textsResponse(ctx: Context<State>): Promise<Response> {
  const lang = ctx.url.searchParams.get("lang");
  return pinnedScriptResponse(ctx, "widget-texts", {
    more: { "content-type": "application/json; charset=utf-8" },
    select: (texts) => lang === null ? texts : selectLanguage(texts, lang),
  });
}

function selectLanguage(texts: ScriptBundle, lang: string): Promise<ScriptBundle> | undefined {
  const known = languagesOf.get(texts) ?? splitLanguages(texts);
  languagesOf.set(texts, known);
  return known.get(lang);
}

function splitLanguages({ body }: ScriptBundle): Bundles {
  const all: Record<string, string> = JSON.parse(new TextDecoder().decode(body));
  return new Map(
    Object.entries(all).map(([lang, text]) => [
      lang,
      describeScript(new TextEncoder().encode(JSON.stringify({ [lang]: text }))),
    ]),
  );
}
