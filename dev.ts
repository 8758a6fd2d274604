/**
 * `deno task dev` serves with reload; `deno task build` writes `_fresh/` for `deno task start` and for
 * Deno Deploy: the app's browser code and the widget script.
 */
import { Builder } from "fresh/dev";
import { writeBuildMark } from "./tools/build_mark.ts";
import { bundleWidget } from "./tools/bundle_widget.ts";

const root = import.meta.dirname!;
const WIDGET_FILE = `${root}/_fresh/widget.v1.js`;

const builder = new Builder({ root });

if (Deno.args.includes("build")) {
  await Deno.remove(`${root}/_fresh`, { recursive: true }).catch(ignoreMissing);
  await builder.build();
  await writeWidget();
  await writeBuildMark(root);
} else {
  await Deno.mkdir(`${root}/_fresh`, { recursive: true });
  await writeWidget();
  const main = await import("./main.ts");
  const { greet, ...address } = main.development();
  await builder.listen(() => Promise.resolve(main), address);
  await greet();
}

async function writeWidget(): Promise<void> {
  await Deno.writeFile(WIDGET_FILE, await bundleWidget({ root }));
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
