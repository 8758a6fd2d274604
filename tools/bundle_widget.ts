import { type BuildOptions, buildSync, type Metafile } from "esbuild";
import { MANGLED_PROPS } from "./mangled_props.ts";
import type { Languages } from "../widget/locales.ts";
import type { BuiltScripts } from "../lib/server/composition/open_scripts.ts";
import { describeScript, pinnedPath, type ScriptBundle } from "../lib/store/script_bundle.ts";

/**
 * Builds the widget: `widget.v1.js`, which is the launcher, the panel's file that it loads, and the
 * extras that the panel loads. The same source gives the same bytes on any machine and in any folder, because pages compare them with an
 * integrity hash.
 */

export interface BundleOptions {
  /** Folder that holds `widget/` and `node_modules/`; defaults to this repository. */
  readonly root?: string;
}

interface BuiltFile {
  readonly bytes: Uint8Array;
  /** The bundled files, relative to the root, sorted. */
  readonly inputs: readonly string[];
  /** Which name became which. */
  readonly mangled: Record<string, string | false>;
}

export interface BuiltWidget {
  readonly launcher: BuiltFile;
  readonly panel: BuiltFile;
  readonly extras: BuiltFile;
  /** The texts of the extras, by language, as JSON. */
  readonly texts: Pick<BuiltFile, "bytes">;
}

/** Browsers with constructable style sheets and `100dvh`; older ones never show the widget. */
const TARGET = ["chrome111", "edge111", "firefox114", "safari16.4"];

export const LAUNCHER_OPTIONS: BuildOptions = {
  entryPoints: ["widget/main.ts"],
  format: "iife",
  platform: "browser",
  mangleProps: MANGLED_PROPS,
};

export const PANEL_OPTIONS: BuildOptions = {
  ...LAUNCHER_OPTIONS,
  entryPoints: ["widget/panel.ts"],
  // Components are typed as Preact's, and drawn by widget/render.ts.
  jsx: "transform",
  jsxFactory: "h",
  jsxFragment: "Fragment",
  inject: ["widget/h.ts"],
};

/** Without what draws: the panel hands it over. */
export const EXTRAS_OPTIONS: BuildOptions = {
  ...PANEL_OPTIONS,
  entryPoints: ["widget/extras/extras.ts"],
  inject: ["widget/extras/extras_h.ts"],
};

/** Builds `client.v1.js`, the module that the widget uses. Also reproducible. */
export function buildClient(options: BundleOptions = {}): BuiltFile {
  const root = rootOf(options);
  return build(root, { entryPoints: ["widget/client/client.ts"], format: "esm" });
}

/** Builds all files. Rejects with esbuild's own error, with file and line, on a mistake. */
export async function buildWidget(options: BundleOptions = {}): Promise<BuiltWidget> {
  const root = rootOf(options);
  const languages = await readTexts(root);
  const texts = { bytes: new TextEncoder().encode(JSON.stringify(languages)) };
  const extras = buildExtras(root, shortNames(root), await describeScript(texts.bytes));
  const panel = buildPanel(root, extras, await describeScript(extras.bytes));
  const launcher = buildLauncher(root, panel, await describeScript(panel.bytes));
  return { launcher, panel, extras, texts };
}

/** The launcher's property names, which it shortens before the others: it has the fewest bytes left. */
function shortNames(root: string): BuiltFile["mangled"] {
  const define = { WIDGET_CSS: '""', PANEL_FILE: '""', PANEL_INTEGRITY: '""' };
  return build(root, { ...LAUNCHER_OPTIONS, define }).mangled;
}

/** The texts of the extras, as the sources below `root` have them. */
async function readTexts(root: string): Promise<Languages> {
  const { bytes } = build(root, { entryPoints: ["widget/extras/texts.ts"], format: "esm" });
  const { EXTRAS_LANGUAGES } = await import(`data:text/javascript;base64,${bytes.toBase64()}`);
  return EXTRAS_LANGUAGES;
}

/** With the name of the file that has their texts. */
function buildExtras(
  root: string,
  mangleCache: BuiltFile["mangled"],
  texts: ScriptBundle,
): BuiltFile {
  const { css, inputs } = buildStyles(root, "extras");
  const define = {
    WIDGET_CSS: JSON.stringify(css),
    TEXTS_FILE: JSON.stringify(pinnedPath("widget-texts", texts).slice(1)),
  };
  const script = build(root, { ...EXTRAS_OPTIONS, define, mangleCache });
  return { ...script, inputs: [...inputs, ...script.inputs].sort() };
}

/** With the name, hash and shortened property names of its extras. */
function buildPanel(root: string, { mangled }: BuiltFile, extras: ScriptBundle): BuiltFile {
  const { css, inputs } = buildStyles(root, "panel");
  const define = {
    WIDGET_CSS: JSON.stringify(css),
    EXTRAS_FILE: JSON.stringify(pinnedPath("widget-extras", extras).slice(1)),
    EXTRAS_INTEGRITY: JSON.stringify(extras.integrity),
  };
  const script = build(root, { ...PANEL_OPTIONS, define, mangleCache: mangled });
  return { ...script, inputs: [...inputs, ...script.inputs].sort() };
}

/** With the panel's name, hash and shortened property names, so that each launcher finds its own. */
function buildLauncher(root: string, { mangled }: BuiltFile, panel: ScriptBundle): BuiltFile {
  const { css, inputs } = buildStyles(root, "shell");
  const define = {
    WIDGET_CSS: JSON.stringify(css),
    PANEL_FILE: JSON.stringify(pinnedPath("widget-panel", panel).slice(1)),
    PANEL_INTEGRITY: JSON.stringify(panel.integrity),
  };
  const script = build(root, { ...LAUNCHER_OPTIONS, define, mangleCache: mangled });
  return { ...script, inputs: [...inputs, ...script.inputs].sort() };
}

function buildStyles(
  root: string,
  name: "shell" | "panel" | "extras" | "main",
): { css: string; inputs: readonly string[] } {
  const { bytes, inputs } = build(root, { entryPoints: [`widget/styles/${name}.css`] });
  return { css: stripCustomPropertySpaces(new TextDecoder().decode(bytes)), inputs };
}

/** Removes the insignificant spaces that the minifier leaves around custom properties. */
function stripCustomPropertySpaces(css: string): string {
  return css.replace(/(--[\w-]+:|,) /g, "$1").trim();
}

function rootOf({ root }: BundleOptions): string {
  return root ?? new URL("../", import.meta.url).pathname;
}

/** The synchronous build needs no background service that would have to be stopped. */
function build(root: string, options: BuildOptions): BuiltFile {
  const result = buildSync({
    minify: true,
    mangleCache: {},
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
  if (!file || more.length > 0) throw new Error("a script must be exactly one file");
  const { metafile, mangleCache = {} } = result;
  return { bytes: file.contents, inputs: bundledFiles(metafile), mangled: mangleCache };
}

function bundledFiles(metafile: Metafile | undefined): string[] {
  return Object.keys(metafile?.inputs ?? {});
}

/** Builds the scripts that embedding pages load, and the widget's styles for the playground. */
export async function buildScripts(options: BundleOptions = {}): Promise<BuiltScripts> {
  const root = rootOf(options);
  const { launcher, panel, extras, texts } = await buildWidget({ root });
  return {
    widget: launcher.bytes,
    panel: panel.bytes,
    extras: extras.bytes,
    texts: texts.bytes,
    client: buildClient({ root }).bytes,
    widgetStyles: buildStyles(root, "main").css,
    clientTypes: await Deno.readTextFile(`${root}/widget/client/client.d.ts`),
  };
}
