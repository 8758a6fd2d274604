import { join } from "node:path";
import { type BuildCache, openStaticFile, type StaticFile } from "../build_cache.ts";
import type { Command } from "../commands.ts";
import { type RouteFile, routeFilesToCommands } from "../fs_routes.ts";
import { type IslandModule, islandRegistry } from "../island_registry.ts";
import type { BundledFile } from "./bundle.ts";
import { contentTypeOf } from "./content_type.ts";

export interface MemoryBuild {
  root: string;
  buildId: string;
  clientEntry: string;
  reload: boolean;
  staticDirs: string[];
  /** By URL path. */
  files: Map<string, BundledFile>;
  islandModules: IslandModule[];
  routeFiles: RouteFile[];
}

/** A build for development and tests: bundles are in memory, static files are read where they are. */
export class MemoryBuildCache<State> implements BuildCache<State> {
  readonly #build: MemoryBuild;
  readonly root: string;
  readonly buildId: string;
  readonly clientEntry: string;
  readonly reload: boolean;
  readonly islands: BuildCache<State>["islands"];

  constructor(build: MemoryBuild) {
    this.#build = build;
    this.root = build.root;
    this.buildId = build.buildId;
    this.clientEntry = build.clientEntry;
    this.reload = build.reload;
    this.islands = islandRegistry(build.islandModules);
  }

  fileRoutes(): Command<State>[] {
    return routeFilesToCommands(this.#build.routeFiles);
  }

  async readFile(path: string): Promise<StaticFile | null> {
    const contentType = contentTypeOf(path);
    const file = this.#build.files.get(path);
    if (file !== undefined) {
      const { content: readable, hash } = file;
      return {
        hash,
        contentType,
        readable,
        size: readable.byteLength,
        close: () => {},
      };
    }
    if (isHidden(path)) return null;
    for (const dir of this.#build.staticDirs) {
      const found = await openStaticFile(join(dir, path), {
        hash: null,
        contentType,
      });
      if (found !== null) return found;
    }
    return null;
  }
}

/** Dot files are never served; `..` is one of them, so a path cannot leave its folder. */
export function isHidden(path: string): boolean {
  return path.includes("\0") || path.includes("\\") ||
    path.split("/").some((part) => part.startsWith(".") && part !== ".well-known");
}
