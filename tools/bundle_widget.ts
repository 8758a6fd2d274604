import { type BuildOptions, buildSync, type Metafile } from "esbuild";
import { MANGLED_PROPS } from "./mangled_props.ts";
import { trimPreact } from "./trim_preact.ts";
import type { BuiltScripts } from "../lib/server/composition/open_scripts.ts";

/**
 * Builds `widget.v1.js`. The same source gives the same bytes on any machine and in any folder, because
 * pages compare them with an integrity hash.
 */

export interface BundleOptions {
  /** Folder that holds `widget/` and `node_modules/`; defaults to this repository. */
  readonly root?: string;
}

export interface BuiltWidget {
  readonly bytes: Uint8Array;
  /** The bundled files, relative to the root, sorted. */
  readonly inputs: readonly string[];
}

/** Browsers with constructable style sheets and `100dvh`; older ones never show the widget. */
const TARGET = ["chrome111", "edge111", "firefox114", "safari16.4"];

export const WIDGET_OPTIONS: BuildOptions = {
  entryPoints: ["widget/main.ts"],
  format: "iife",
  platform: "browser",
  // 300 bytes smaller than Preact's JSX runtime.
  jsx: "transform",
  jsxFactory: "h",
  jsxFragment: "Fragment",
  inject: ["widget/h.ts"],
  mangleProps: MANGLED_PROPS,
};

/** Builds the widget script. Throws esbuild's own error, with file and line, on a mistake. */
export function bundleWidget(options: BundleOptions = {}): Promise<Uint8Array> {
  return Promise.resolve().then(() => buildWidget(options).bytes);
}

/** Builds `client.v1.js`, the module that the widget uses. Also reproducible. */
export function buildClient(options: BundleOptions = {}): BuiltWidget {
  const root = options.root ?? new URL("../", import.meta.url).pathname;
  return build(root, { entryPoints: ["widget/client/client.ts"], format: "esm" });
}

/** As `bundleWidget`, with the list of bundled files. */
export function buildWidget(options: BundleOptions = {}): BuiltWidget {
  const root = options.root ?? new URL("../", import.meta.url).pathname;
  const { css, inputs } = buildStyles(root);
  const define = { WIDGET_CSS: JSON.stringify(css) };
  const { mangleProps: _later, ...unmangled } = WIDGET_OPTIONS;
  const readable = { define, format: "esm", minify: false, minifySyntax: true } as const;
  const script = build(root, { ...unmangled, ...readable });
  const contents = trimPreact(new TextDecoder().decode(script.bytes));
  const trimmed = { stdin: { contents }, format: "iife", mangleProps: MANGLED_PROPS } as const;
  const { bytes } = build(root, trimmed);
  return { bytes, inputs: [...inputs, ...script.inputs].sort() };
}

function buildStyles(root: string): { css: string; inputs: readonly string[] } {
  const { bytes, inputs } = build(root, { entryPoints: ["widget/styles/main.css"] });
  return { css: stripCustomPropertySpaces(new TextDecoder().decode(bytes)), inputs };
}

/** Removes the insignificant spaces that the minifier leaves around custom properties. */
function stripCustomPropertySpaces(css: string): string {
  return css.replace(/(--[\w-]+:|,) /g, "$1").trim();
}

/** The synchronous build needs no background service that would have to be stopped. */
function build(root: string, options: BuildOptions): BuiltWidget {
  const result = buildSync({
    minify: true,
    ...options,
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    target: TARGET,
    charset: "utf8",
    legalComments: "none",
    sourcemap: false,
    tsconfigRaw: {},
    logLevel: "silent",
  });
  const [file, ...more] = result.outputFiles ?? [];
  if (!file || more.length > 0) throw new Error("the widget must be exactly one file");
  return { bytes: file.contents, inputs: bundledFiles(result.metafile) };
}

function bundledFiles(metafile: Metafile | undefined): string[] {
  return Object.keys(metafile?.inputs ?? {});
}

if (import.meta.main) {
  const target = Deno.args[0];
  const bytes = await bundleWidget();
  if (target) await Deno.writeFile(target, bytes);
  else await Deno.stdout.write(bytes);
}

/** Builds the scripts that embedding pages load, and the widget's styles for the playground. */
export async function buildScripts(options: BundleOptions = {}): Promise<BuiltScripts> {
  const root = options.root ?? new URL("../", import.meta.url).pathname;
  return {
    widget: await bundleWidget({ root }),
    client: buildClient({ root }).bytes,
    widgetStyles: buildStyles(root).css,
    clientTypes: await Deno.readTextFile(`${root}/widget/client/client.d.ts`),
  };
}
