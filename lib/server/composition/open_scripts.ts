import { ScriptReleaseStore } from "../../store/script_release_store.ts";
import { describeScript } from "../../store/script_bundle.ts";
import type { CoreDeps } from "./core_deps.ts";

export interface BuiltScripts {
  widget: Uint8Array;
  /** The style sheet inside the widget, for the dashboard's playground. */
  widgetStyles: string;
  client: Uint8Array;
  clientTypes: string;
}

/** Stores the scripts of this release for pages that pin a version. */
export async function openScripts(
  { kv, runtime }: CoreDeps,
  { widget, widgetStyles, client, clientTypes }: BuiltScripts,
) {
  const releases = new ScriptReleaseStore(kv, runtime);
  const described = { widget: await describeScript(widget), client: await describeScript(client) };
  await Promise.all([
    releases.publish("widget", described.widget),
    releases.publish("client", described.client),
  ]);
  return { ...described, widgetStyles, clientTypes, releases };
}

export async function readScripts(dir: string): Promise<BuiltScripts> {
  const [widget, widgetStyles, client, clientTypes] = await Promise.all([
    Deno.readFile(`${dir}/widget.v1.js`),
    Deno.readTextFile(`${dir}/widget.css`),
    Deno.readFile(`${dir}/client.v1.js`),
    Deno.readTextFile(`${dir}/client.v1.d.ts`),
  ]);
  return { widget, widgetStyles, client, clientTypes };
}
