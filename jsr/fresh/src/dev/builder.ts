import { basename, extname, isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { App, type ListenOptions, setBuildCache } from "../app.ts";
import type { BuildCache } from "../build_cache.ts";
import { newBuildId } from "../build_id.ts";
import { uniqueName } from "../island_registry.ts";
import { serve } from "../listen.ts";
import { notInThisBuild } from "../not_in_this_build.ts";
import { bundle, RUNTIME_ENTRY, type SourceMapOptions } from "./bundle.ts";
import { crawl, type FoundRoute } from "./crawl.ts";
import { withLiveReload } from "./live_reload.ts";
import { MemoryBuildCache } from "./memory_build_cache.ts";
import { type DiskBuild, writeBuild } from "./write_build.ts";

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
  sourceMap?: SourceMapOptions;
}

/** `BuildOptions` with absolute paths and defaults. */
export type ResolvedBuildConfig =
  & Required<Omit<BuildOptions, "sourceMap" | "staticDir">>
  & {
    staticDir: string[];
    mode: Mode;
    sourceMap: SourceMapOptions | undefined;
  };

/** Builds an app's browser code and finds its routes. */
// deno-lint-ignore no-explicit-any
export class Builder<State = any> {
  readonly config: ResolvedBuildConfig;
  readonly #registered: string[] = [];

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
      sourceMap: options.sourceMap,
    };
  }

  /** Adds a file outside the island folder. */
  registerIsland(specifier: string): void {
    this.#registered.push(resolvePath(specifier, this.config.root));
  }

  /** Transforming static files is not in this build. */
  onTransformStaticFile(
    _options: { pluginName: string; filter: RegExp },
    _fn: unknown,
  ): void {
    notInThisBuild("builder.onTransformStaticFile()");
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
    const { basePath } = app.config;
    await serve(withLiveReload(app.handler()), { basePath, ...options });
  }

  async #bundle(): Promise<DiskBuild> {
    const { root, outDir, serverEntry, target, mode, sourceMap, staticDir } = this.config;
    const { routes, islands } = await crawl(this.config);
    const entries = entryNames(new Set([...islands, ...this.#registered]));
    const buildId = await newBuildId();
    const dev = mode === "development";
    const bundled = await bundle({
      root,
      dev,
      buildId,
      target,
      entries,
      sourceMap,
    });
    const url = (name: string) => `/_fresh/js/${buildId}/${name}`;
    return {
      root,
      outDir,
      serverEntry,
      buildId,
      clientEntry: url(`${RUNTIME_ENTRY}.js`),
      staticDirs: staticDir,
      files: new Map(bundled.map((file) => [url(file.name), file])),
      islands: Object.entries(entries)
        .map(([name, source]) => ({ name, source, file: url(`${name}.js`) })),
      routes,
    };
  }

  async #load(build: DiskBuild): Promise<BuildCache<State>> {
    const islandModules = await Promise.all(
      build.islands.map(async ({ name, file, source }) => ({
        name,
        file,
        mod: await importFile(source),
      })),
    );
    const routeFiles = await Promise.all(build.routes.map(loadRoute));
    const reload = this.config.mode === "development";
    return new MemoryBuildCache({
      ...build,
      islandModules,
      routeFiles,
      reload,
    });
  }
}

async function loadRoute({ filePath, lazy, ...route }: FoundRoute) {
  const load = () => importFile(filePath);
  return { ...route, mod: lazy ? load : await load() };
}

function importFile(path: string): Promise<object> {
  return import(pathToFileURL(path).href);
}

function entryNames(sources: Set<string>): Record<string, string> {
  const taken = new Set([RUNTIME_ENTRY]);
  return Object.fromEntries(
    [...sources].map((
      path,
    ) => [uniqueName(basename(path, extname(path)), taken), path]),
  );
}

function resolvePath(path: string, base: string): string {
  if (path.startsWith("file://")) return fileURLToPath(path);
  return isAbsolute(path) ? path : join(base, path);
}
