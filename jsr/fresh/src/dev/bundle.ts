import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { notInThisBuild } from "../unsupported.ts";
import { mapSpecifier, type ProjectConfig, readProjectConfig } from "./import_map.ts";

export interface BundleOptions {
  root: string;
  dev: boolean;
  buildId: string;
  /** Island files by the names of their bundles. */
  entries: Record<string, string>;
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
  const { root, dev, entries, buildId } = options;
  const project = await readProjectConfig(root);
  const runtime = besideThisPackage(dev ? "../client/dev.ts" : "../client/boot.ts");
  const { outputFiles = [] } = await withEsbuild(() =>
    esbuild.build({
      entryPoints: { [RUNTIME_ENTRY]: runtime, ...entries },
      absWorkingDir: root,
      outdir: root,
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target: ["chrome99", "firefox99", "safari15"],
      minify: !dev,
      jsx: "automatic",
      jsxImportSource: project.jsxImportSource,
      tsconfigRaw: "{}",
      define: {
        FRESH_BUILD_ID: JSON.stringify(buildId),
        "process.env.NODE_ENV": JSON.stringify(dev ? "development" : "production"),
      },
      logLevel: "silent",
      plugins: [denoResolution(project)],
    })
  );
  for (const { path, text } of outputFiles) {
    const [, name] = /\b(FRESH_PUBLIC_\w+)/.exec(text) ?? [];
    // The published package inlines the value of the variable.
    if (name !== undefined) notInThisBuild(`${name} in ${relative(root, path)}`);
  }
  return outputFiles.map(({ path, contents, hash }) => ({
    name: relative(root, path),
    content: contents as Uint8Array<ArrayBuffer>,
    hash: hash.replace(/\W/g, "_"),
  }));
}

let users = 0;

/** esbuild runs as a child process; the last concurrent build stops it. */
async function withEsbuild<T>(use: () => Promise<T>): Promise<T> {
  users++;
  try {
    return await use();
  } finally {
    users--;
    if (users === 0) await esbuild.stop();
  }
}

function besideThisPackage(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Marks what this plugin has resolved already. */
const RESOLVED = Symbol("resolved");

function denoResolution(project: ProjectConfig): esbuild.Plugin {
  return {
    name: "deno-resolution",
    setup(build) {
      build.onResolve({ filter: /^fresh(\/|$)/ }, ({ path }) => {
        if (path === "fresh/runtime") return { path: besideThisPackage("../client/runtime.ts") };
        return { errors: [{ text: `Islands can import fresh/runtime, but not ${path}` }] };
      });
      build.onResolve({ filter: /^[^./]/ }, (args) => {
        if (args.pluginData === RESOLVED || isAbsolute(args.path)) return null;
        const path = mapSpecifier(args.path, project) ?? args.path;
        if (isAbsolute(path)) return { path };
        // Packages with state must exist once, so they always come from the project.
        const shared = /^(preact|@preact\/signals)(\/|$)/.test(path);
        const nested = args.resolveDir.includes("node_modules");
        const resolveDir = shared || !nested ? project.dir : args.resolveDir;
        return build.resolve(path, { resolveDir, kind: args.kind, pluginData: RESOLVED });
      });
    },
  };
}
