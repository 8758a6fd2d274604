import { basename, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { App, type ListenOptions, setBuildCache } from "../app.ts";
import type { BuildCache } from "../build_cache.ts";
import { newBuildId } from "../build_id.ts";
import { islandRegistry, uniqueName } from "../island_registry.ts";
import { serve } from "../listen.ts";
import { notInThisBuild, type Unsupported, unsupported } from "../unsupported.ts";
import { bundle, RUNTIME_ENTRY } from "./bundle.ts";
import { crawl } from "./crawl.ts";
import { withLiveReload } from "./live_reload.ts";
import { memoryReader } from "./memory_build_cache.ts";
import { type Build, writeBuild } from "./write_build.ts";

type Mode = "development" | "production";

/** Options of `new Builder()`. */
export interface BuildOptions {
  /** The project's folder; the working directory by default. */
  root?: string;
}

/** Where the project and its build are. */
export type ResolvedBuildConfig = { root: string; outDir: string };

/** Builds an app's browser code and finds its routes. */
// deno-lint-ignore no-explicit-any
export class Builder<State = any> {
  readonly config: ResolvedBuildConfig;
  readonly registerIsland: Unsupported = unsupported("builder.registerIsland()");
  readonly onTransformStaticFile: Unsupported = unsupported("builder.onTransformStaticFile()");

  constructor({ root = ".", ...others }: BuildOptions = {}) {
    const [other] = Object.keys(others);
    if (other !== undefined) notInThisBuild(`The Builder option ${other}`);
    const dir = resolve(root);
    this.config = { root: dir, outDir: join(dir, "_fresh") };
  }

  /**
   * Builds to `outDir`, or with `snapshot: "memory"` for this process only. The function that it
   * returns puts a memory build into an app, before the app's `handler()` is called.
   */
  async build(
    { mode = "production", snapshot }: { mode?: Mode; snapshot?: "disk" | "memory" } = {},
  ): Promise<(app: App<State>) => void> {
    const build = await this.#bundle(mode);
    if (snapshot !== "memory") {
      await writeBuild(build);
      console.log(`Assets written to: ${this.config.outDir}`);
      return () => {};
    }
    const cache = await load(build);
    return (app) => setBuildCache(app, cache, app.config.mode);
  }

  /** Serves the app for development; its pages reload after a restart. */
  async listen(
    importApp: () => Promise<{ app: App<State> } | App<State>>,
    options: ListenOptions = {},
  ): Promise<void> {
    const imported = await importApp();
    const app = imported instanceof App ? imported : imported.app;
    setBuildCache(app, await load(await this.#bundle("development")), "development");
    await serve(withLiveReload(app.handler()), options);
  }

  async #bundle(mode: Mode): Promise<Build> {
    const { root, outDir } = this.config;
    const reload = mode === "development";
    const { routes, islands } = await crawl(root);
    const entries = entryNames(islands);
    const buildId = await newBuildId();
    const bundled = await bundle({ root, dev: reload, buildId, entries });
    const url = (name: string) => `/_fresh/js/${buildId}/${name}`;
    return {
      ...{ root, outDir, buildId, reload, routes },
      clientEntry: url(`${RUNTIME_ENTRY}.js`),
      files: new Map(bundled.map((file) => [url(file.name), file])),
      islands: Object.entries(entries)
        .map(([name, source]) => ({ name, source, file: url(`${name}.js`) })),
    };
  }
}

async function load(build: Build): Promise<BuildCache> {
  const { root, buildId, clientEntry, reload } = build;
  const islandModules = await Promise.all(
    build.islands.map(async ({ source, ...rest }) => ({ ...rest, mod: await importFile(source) })),
  );
  const routeFiles = await Promise.all(build.routes.map(async ({ filePath, ...route }) => {
    const mod = route.type === "route" ? () => importFile(filePath) : await importFile(filePath);
    return { ...route, mod };
  }));
  const islands = islandRegistry(islandModules);
  return { root, buildId, clientEntry, reload, routeFiles, islands, readFile: memoryReader(build) };
}

function importFile(path: string): Promise<object> {
  return import(pathToFileURL(path).href);
}

function entryNames(sources: string[]): Record<string, string> {
  const taken = new Set([RUNTIME_ENTRY]);
  const nameOf = (path: string) => uniqueName(basename(path, extname(path)), taken);
  return Object.fromEntries(sources.map((path) => [nameOf(path), path]));
}
