import { type ScriptName, ScriptReleaseStore } from "../../store/script_release_store.ts";
import { describeScript, pinnedPath, type ScriptBundle } from "../../store/script_bundle.ts";
import type { CoreDeps } from "./core_deps.ts";

export interface BuiltScripts {
  /** The launcher. */
  widget: Uint8Array;
  /** The panel that this launcher loads. */
  panel: Uint8Array;
  /** What this panel loads later. */
  extras: Uint8Array;
  /** Their texts, by language, as JSON. */
  texts: Uint8Array;
  /** The style sheet inside the widget, for the dashboard's playground. */
  widgetStyles: string;
  client: Uint8Array;
  clientTypes: string;
  /** What the build has compressed. */
  gzips?: Partial<Record<CompressedScript, Uint8Array<ArrayBuffer>>>;
}

/** The scripts that a build compresses, by the names of their files. */
export const COMPRESSED_SCRIPTS = {
  widget: "widget.v1.js",
  panel: "widget-panel.v1.js",
  extras: "widget-extras.v1.js",
  client: "client.v1.js",
} as const;
export type CompressedScript = keyof typeof COMPRESSED_SCRIPTS;

/**
 * Stores the scripts of this release for pages that pin a version, and for launchers that a page has
 * got from another process or keeps in a cache: each asks for its own panel, and that for its extras.
 */
export async function openScripts(
  { kv, runtime }: CoreDeps,
  { widget, panel, extras, texts, widgetStyles, client, clientTypes, gzips = {} }: BuiltScripts,
) {
  const releases = new ScriptReleaseStore(kv, runtime);
  const described = {
    widget: await describeScript(widget, gzips.widget),
    panel: await describeScript(panel, gzips.panel),
    extras: await describeScript(extras, gzips.extras),
    texts: await describeScript(texts),
    client: await describeScript(client, gzips.client),
  };
  // A file must never name another that is not stored.
  const textsStored = releases.publish("widget-texts", described.texts);
  const extrasStored = releases.publish("widget-extras", described.extras, textsStored);
  const panelStored = releases.publish("widget-panel", described.panel, extrasStored);
  await Promise.all([
    textsStored,
    extrasStored,
    panelStored,
    releases.publish("widget", described.widget, panelStored),
    releases.publish("client", described.client),
  ]);
  return { ...described, widgetStyles, clientTypes, releases };
}

/** What the doctor compares a page with. */
export function embeddedScripts(
  { widget, panel, extras }: Record<"widget" | "panel" | "extras", ScriptBundle>,
) {
  const { integrity, hash12 } = widget;
  const fileOf = (name: ScriptName, script: ScriptBundle) => ({
    name: pinnedPath(name, script).slice(1),
    integrity: script.integrity,
  });
  return {
    ...{ integrity, hash12 },
    panel: fileOf("widget-panel", panel),
    extras: fileOf("widget-extras", extras),
  };
}

export async function readScripts(dir: string): Promise<BuiltScripts> {
  const [widget, panel, extras, texts, widgetStyles, client, clientTypes] = await Promise.all([
    Deno.readFile(`${dir}/widget.v1.js`),
    Deno.readFile(`${dir}/widget-panel.v1.js`),
    Deno.readFile(`${dir}/widget-extras.v1.js`),
    Deno.readFile(`${dir}/widget-texts.v1.json`),
    Deno.readTextFile(`${dir}/widget.css`),
    Deno.readFile(`${dir}/client.v1.js`),
    Deno.readTextFile(`${dir}/client.v1.d.ts`),
  ]);
  return {
    widget,
    panel,
    extras,
    texts,
    widgetStyles,
    client,
    clientTypes,
    gzips: await readGzips(dir),
  };
}

/** Only a build has compressed them, the development server not. */
async function readGzips(dir: string): Promise<NonNullable<BuiltScripts["gzips"]>> {
  const gzips: NonNullable<BuiltScripts["gzips"]> = {};
  for (const [name, file] of Object.entries(COMPRESSED_SCRIPTS)) {
    try {
      gzips[name as CompressedScript] = await Deno.readFile(`${dir}/${file}.gz`);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return gzips;
}
