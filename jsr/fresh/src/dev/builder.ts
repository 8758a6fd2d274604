import { basename, extname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { App, type ListenOptions, setBuildCache } from "../app.ts";
import type { BuildCache } from "../build_cache.ts";
import { newBuildId } from "../build_id.ts";
import { islandRegistry, uniqueName } from "../island_registry.ts";
import { serve } from "../listen.ts";
import { type LeftOut, leftOut } from "../not_in_this_build.ts";
import { bundle, RUNTIME_ENTRY } from "./bundle.ts";
import { crawl } from "./crawl.ts";
import { withLiveReload } from "./live_reload.ts";
import { memoryReader } from "./memory_build_cache.ts";
import { type Build, writeBuild } from "./write_build.ts";

type Mode = "development" | "production";

/** Options of `new Builder()`. Paths are relative to `root`, and `root` to the working directory. */
export interface BuildOptions {
  /** Browsers to build for, in esbuild's terms. */
  target?: string | string[];
  root?: string;
  outDir?: string;
  staticDir?: string | string[];
  islandDir?: string;
  routeDir?: string;
  /** Module that exports `app`. */
  serverEntry?: string;
  /** Files that are neither routes nor islands; tests unless told otherwise. */
  ignore?: RegExp[];
}

/** `BuildOptions` with absolute paths and defaults. */
export type ResolvedBuildConfig =
  & Required<Omit<BuildOptions, "staticDir">>
  & { staticDir: string[]; mode: Mode };

/** Builds an app's browser code and finds its routes. */
// deno-lint-ignore no-explicit-any
export class Builder<State = any> {
  readonly config: ResolvedBuildConfig;
  readonly registerIsland: LeftOut = leftOut("builder.registerIsland()");
  readonly onTransformStaticFile: LeftOut = leftOut("builder.onTransformStaticFile()");

  constructor(options: BuildOptions = {}) {
    const root = resolvePath(options.root ?? ".", Deno.cwd());
    const inRoot = (path: string) => resolvePath(path, root);
    this.config = {
      root,
      serverEntry: inRoot(options.serverEntry ?? "main.ts"),
      outDir: inRoot(options.outDir ?? "_fresh"),
      staticDir: [options.staticDir ?? "static"].flat().map(inRoot),
      islandDir: inRoot(options.islandDir ?? "islands"),
      routeDir: inRoot(options.routeDir ?? "routes"),
      target: options.target ?? ["chrome99", "firefox99", "safari15"],
      ignore: options.ignore ?? [/[._]test\.(?:[tj]sx?|[mc][tj]s)$/],
      mode: "production",
    };
  }

  /**
   * Builds to `outDir`, or with `snapshot: "memory"` for this process only. The function that it
   * returns puts a memory build into an app, before the app's `handler()` is called.
   */
  async build(
    options: { mode?: Mode; snapshot?: "disk" | "memory" } = {},
  ): Promise<(app: App<State>) => void> {
    this.config.mode = options.mode ?? "production";
    const build = await this.#bundle();
    if (options.snapshot !== "memory") {
      await writeBuild(build);
      console.log(`Assets written to: ${this.config.outDir}`);
      return () => {};
    }
    const cache = await this.#load(build);
    return (app) => setBuildCache(app, cache, app.config.mode);
  }

  /** Serves the app for development; its pages reload after a restart. */
  async listen(
    importApp: () => Promise<{ app: App<State> } | App<State>>,
    options: ListenOptions = {},
  ): Promise<void> {
    this.config.mode = "development";
    const imported = await importApp();
    const app = imported instanceof App ? imported : imported.app;
    setBuildCache(app, await this.#load(await this.#bundle()), "development");
    await serve(withLiveReload(app.handler()), options);
  }

  async #bundle(): Promise<Build> {
    const { root, outDir, serverEntry, target, mode, staticDir: staticDirs } = this.config;
    const { routes, islands } = await crawl(this.config);
    const entries = entryNames(islands);
    const buildId = await newBuildId();
    const bundled = await bundle({ root, dev: mode === "development", buildId, target, entries });
    const url = (name: string) => `/_fresh/js/${buildId}/${name}`;
    return {
      ...{ root, outDir, serverEntry, buildId, staticDirs, routes },
      clientEntry: url(`${RUNTIME_ENTRY}.js`),
      files: new Map(bundled.map((file) => [url(file.name), file])),
      islands: Object.entries(entries)
        .map(([name, source]) => ({ name, source, file: url(`${name}.js`) })),
    };
  }

  async #load(build: Build): Promise<BuildCache> {
    const { root, buildId, clientEntry } = build;
    const islandModules = await Promise.all(
      build.islands.map(async ({ source, ...rest }) => ({ ...rest, mod: await load(source) })),
    );
    const routeFiles = await Promise.all(build.routes.map(async ({ filePath, ...route }) => ({
      ...route,
      mod: route.type === "route" ? () => load(filePath) : await load(filePath),
    })));
    return {
      ...{ root, buildId, clientEntry, routeFiles },
      islands: islandRegistry(islandModules),
      reload: this.config.mode === "development",
      readFile: memoryReader(build),
    };
  }
}

function load(path: string): Promise<object> {
  return import(pathToFileURL(path).href);
}

function entryNames(sources: string[]): Record<string, string> {
  const taken = new Set([RUNTIME_ENTRY]);
  const nameOf = (path: string) => uniqueName(basename(path, extname(path)), taken);
  return Object.fromEntries(sources.map((path) => [nameOf(path), path]));
}

function resolvePath(path: string, base: string): string {
  return isAbsolute(path) ? path : join(base, path);
}
