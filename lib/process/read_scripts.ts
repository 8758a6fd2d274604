import type { BuiltScripts } from "../composition/open_scripts.ts";

/** The browser scripts as the build has left them in `dir`. */
export async function readScripts(dir: string): Promise<BuiltScripts> {
  const [widget, client, clientTypes] = await Promise.all([
    Deno.readFile(`${dir}/widget.v1.js`),
    Deno.readFile(`${dir}/client.v1.js`),
    Deno.readTextFile(`${dir}/client.v1.d.ts`),
  ]);
  return { widget, client, clientTypes };
}
