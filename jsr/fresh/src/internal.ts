/**
 * For the files that a build writes.
 * @module
 */
import { join } from "node:path";
import { type BuildCache, openStaticFile, type StaticFile } from "./build_cache.ts";
import type { Command } from "./commands.ts";
import { type RouteFile, routeFilesToCommands } from "./fs_routes.ts";
import { type IslandModule, islandRegistry } from "./island_registry.ts";

export { setBuildCache } from "./app.ts";

/** A file to serve; `filePath` is relative to the root of the project. */
export interface FileEntry {
  filePath: string;
  hash: string;
  contentType: string;
}

/** What `_fresh/snapshot.js` exports. */
export interface Snapshot {
  buildId: string;
  clientEntry: string;
  islandModules: IslandModule[];
  routeFiles: RouteFile[];
  staticFiles: Map<string, FileEntry>;
}

/** A build that was written to disk. */
export class ProdBuildCache<State> implements BuildCache<State> {
  readonly #snapshot: Snapshot;
  readonly root: string;
  readonly buildId: string;
  readonly clientEntry: string;
  readonly islands: BuildCache<State>["islands"];
  readonly reload = false;

  constructor(root: string, snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.root = root;
    this.buildId = snapshot.buildId;
    this.clientEntry = snapshot.clientEntry;
    this.islands = islandRegistry(snapshot.islandModules);
  }

  fileRoutes(): Command<State>[] {
    return routeFilesToCommands(this.#snapshot.routeFiles);
  }

  async readFile(path: string): Promise<StaticFile | null> {
    const entry = this.#snapshot.staticFiles.get(path);
    return entry === undefined
      ? null
      : await openStaticFile(join(this.root, entry.filePath), entry);
  }
}
