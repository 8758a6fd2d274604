import type { BuiltScripts } from "../lib/composition/open_scripts.ts";
import { buildClient, type BundleOptions, bundleWidget } from "./bundle_widget.ts";

/** Everything that pages of others load. */
export async function buildScripts(options: BundleOptions = {}): Promise<BuiltScripts> {
  const root = options.root ?? new URL("../", import.meta.url).pathname;
  return {
    widget: await bundleWidget({ root }),
    client: buildClient({ root }).bytes,
    clientTypes: await Deno.readTextFile(`${root}/widget/client/client.d.ts`),
  };
}
