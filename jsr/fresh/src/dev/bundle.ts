import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { mapSpecifier, type ProjectConfig, readProjectConfig } from "./import_map.ts";

/** Whether and how to write source maps, in esbuild's terms. */
export interface SourceMapOptions {
  kind: esbuild.BuildOptions["sourcemap"];
  sourceRoot?: esbuild.BuildOptions["sourceRoot"];
  sourcesContent?: esbuild.BuildOptions["sourcesContent"];
}

export interface BundleOptions {
  root: string;
  dev: boolean;
  buildId: string;
  target: string | string[];
  /** Island files by the names of their bundles. */
  entries: Record<string, string>;
  sourceMap: SourceMapOptions | undefined;
}

/** A file for the browser, by its name below `/_fresh/js/<build id>/`. */
export interface BundledFile {
  name: string;
  content: Uint8Array<ArrayBuffer>;
  hash: string;
}

/** Name of the bundle that starts the islands. */
export const RUNTIME_ENTRY = "fresh-runtime";

/**
 * Bundles the browser runtime and all islands together, so that what they share (preact and signals
 * above all) is in one file and exists once.
 */
export async function bundle(options: BundleOptions): Promise<BundledFile[]> {
  const { root, dev, target } = options;
  const project = await readProjectConfig(root);
  const { outputFiles = [] } = await withEsbuild(() =>
    esbuild.build({
      entryPoints: { [RUNTIME_ENTRY]: runtimeEntry(dev), ...options.entries },
      absWorkingDir: root,
      outdir: root,
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target,
      minify: !dev,
      ...sourceMapOptions(options),
      jsx: "automatic",
      jsxImportSource: project.jsxImportSource,
      tsconfigRaw: "{}",
      define: {
        FRESH_BUILD_ID: JSON.stringify(options.buildId),
        "process.env.NODE_ENV": JSON.stringify(
          dev ? "development" : "production",
        ),
      },
      logLevel: "silent",
      plugins: [denoResolution(project)],
    })
  );
  return outputFiles.map(({ path, contents, hash }) => ({
    name: relative(root, path),
    content: contents as Uint8Array<ArrayBuffer>,
    hash: hash.replace(/\W/g, "_"),
  }));
}

let users = 0;

/** esbuild runs as a child process, which would outlive the build: the last one ends it. */
async function withEsbuild<T>(use: () => Promise<T>): Promise<T> {
  users++;
  try {
    return await use();
  } finally {
    users--;
    if (users === 0) await esbuild.stop();
  }
}

function runtimeEntry(dev: boolean): string {
  return besideThisPackage(dev ? "../client/dev.ts" : "../client/boot.ts");
}

function besideThisPackage(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function sourceMapOptions(
  { dev, sourceMap }: BundleOptions,
): esbuild.BuildOptions {
  if (dev) return { sourcemap: "inline" };
  if (sourceMap === undefined) return {};
  const { kind, sourceRoot, sourcesContent } = sourceMap;
  return {
    ...(kind === undefined ? {} : { sourcemap: kind }),
    ...(sourceRoot === undefined ? {} : { sourceRoot }),
    ...(sourcesContent === undefined ? {} : { sourcesContent }),
  };
}

/** Marks what this plugin has resolved already. */
const RESOLVED = Symbol("resolved");

function denoResolution(project: ProjectConfig): esbuild.Plugin {
  return {
    name: "deno-resolution",
    setup(build) {
      build.onResolve({ filter: /^fresh(\/|$)/ }, ({ path }) => {
        if (path === "fresh/runtime") {
          return { path: besideThisPackage("../client/runtime.ts") };
        }
        return {
          errors: [{
            text: `Islands can import fresh/runtime, but not ${path}`,
          }],
        };
      });
      build.onResolve({ filter: /^[^./]/ }, (args) => {
        if (args.pluginData === RESOLVED || isAbsolute(args.path)) return null;
        const path = mapSpecifier(args.path, project) ?? args.path;
        if (isAbsolute(path)) return { path };
        return resolvePackage(build, path, { project, args });
      });
    },
  };
}

/**
 * The packages that keep state must come from one place, whoever imports them: the project's. Other
 * packages of packages are looked up from where they are imported.
 */
async function resolvePackage(
  build: esbuild.PluginBuild,
  path: string,
  { project, args }: { project: ProjectConfig; args: esbuild.OnResolveArgs },
): Promise<esbuild.OnResolveResult> {
  const shared = /^(preact|@preact\/signals|@preact\/signals-core)(\/|$)/.test(
    path,
  );
  const nested = args.resolveDir.includes("node_modules");
  const dirs = shared || !nested
    ? [project.dir, args.resolveDir, dirname(besideThisPackage("."))]
    : [args.resolveDir];
  let result: esbuild.OnResolveResult | undefined;
  for (const resolveDir of dirs) {
    result = await build.resolve(path, {
      resolveDir,
      kind: args.kind,
      pluginData: RESOLVED,
    });
    if (result.errors?.length === 0) break;
  }
  return result ?? null!;
}
