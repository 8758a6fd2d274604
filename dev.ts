/**
 * `deno task dev` serves with live reload. `deno task build` writes `_fresh/` for `deno task start` and
 * Deno Deploy: the browser code of the app, the widget and the client.
 */
import { Builder } from "fresh/dev";
import { writeBuildMark } from "./tools/build_mark.ts";
import {
  type BuiltScripts,
  COMPRESSED_SCRIPTS,
  type CompressedScript,
} from "./lib/server/composition/open_scripts.ts";
import { buildScripts } from "./tools/bundle_widget.ts";
import { compressScript } from "./tools/compress_script.ts";
import { writeStartScripts } from "./tools/write_start_scripts.ts";

const root = import.meta.dirname!;

const builder = new Builder({ root });

if (Deno.args.includes("build")) {
  await Deno.remove(`${root}/_fresh`, { recursive: true }).catch(ignoreMissing);
  await builder.build();
  await compressScripts(await writeScripts());
  await writeStartScripts(root, Deno.env.toObject());
  await writeBuildMark(root);
} else {
  await Deno.mkdir(`${root}/_fresh`, { recursive: true });
  await removeCompressed();
  await writeScripts();
  const main = await import("./main.ts");
  const { printBanner, ...address } = main.development();
  await builder.listen(() => Promise.resolve(main), address);
  await printBanner();
}

async function writeScripts(): Promise<BuiltScripts> {
  const scripts = await buildScripts({ root });
  const { widget, panel, extras, texts, widgetStyles, client, clientTypes } = scripts;
  await Deno.writeFile(`${root}/_fresh/widget.v1.js`, widget);
  await Deno.writeFile(`${root}/_fresh/widget-panel.v1.js`, panel);
  await Deno.writeFile(`${root}/_fresh/widget-extras.v1.js`, extras);
  await Deno.writeFile(`${root}/_fresh/widget-texts.v1.json`, texts);
  await Deno.writeTextFile(`${root}/_fresh/widget.css`, widgetStyles);
  await Deno.writeFile(`${root}/_fresh/client.v1.js`, client);
  await Deno.writeTextFile(`${root}/_fresh/client.v1.d.ts`, clientTypes);
  return scripts;
}

async function compressScripts(scripts: BuiltScripts): Promise<void> {
  for (const [name, file] of Object.entries(COMPRESSED_SCRIPTS)) {
    const gzip = await compressScript(scripts[name as CompressedScript]);
    await Deno.writeFile(`${root}/_fresh/${file}.gz`, gzip);
  }
}

/** What an earlier build has compressed is not what is served now. */
async function removeCompressed(): Promise<void> {
  for (const file of Object.values(COMPRESSED_SCRIPTS)) {
    await Deno.remove(`${root}/_fresh/${file}.gz`).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
