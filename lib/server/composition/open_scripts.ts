import { ScriptReleaseStore } from "../../store/script_release_store.ts";
import { describeScript, type ScriptBundle } from "../../store/script_bundle.ts";
import type { CoreDeps } from "./core_deps.ts";

/** What pages of others load. */
export interface BuiltScripts {
  widget: Uint8Array;
  client: Uint8Array;
  /** TypeScript declarations of the client. */
  clientTypes: string;
}

/** The scripts as they are served, and those of earlier releases. */
export interface ServedScripts {
  widget: ScriptBundle;
  client: ScriptBundle;
  clientTypes: string;
  releases: ScriptReleaseStore;
}

/** Keeps this release's scripts for pages that name them by version. */
export async function openScripts(
  { kv, runtime }: CoreDeps,
  { widget, client, clientTypes }: BuiltScripts,
): Promise<ServedScripts> {
  const releases = new ScriptReleaseStore(kv, runtime);
  const described = {
    widget: await describeScript(widget),
    client: await describeScript(client),
  };
  await Promise.all([
    releases.publish("widget", described.widget),
    releases.publish("client", described.client),
  ]);
  return { ...described, clientTypes, releases };
}

/** The browser scripts as the build has left them in `dir`. */
export async function readScripts(dir: string): Promise<BuiltScripts> {
  const [widget, client, clientTypes] = await Promise.all([
    Deno.readFile(`${dir}/widget.v1.js`),
    Deno.readFile(`${dir}/client.v1.js`),
    Deno.readTextFile(`${dir}/client.v1.d.ts`),
  ]);
  return { widget, client, clientTypes };
}
