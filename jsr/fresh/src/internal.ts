/**
 * For the files that a build writes.
 * @module
 */
import { join } from "node:path";
import { type BuildCache, readStaticFile, type RouteFile } from "./build_cache.ts";
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
export function diskBuildCache(root: string, snapshot: Snapshot): BuildCache {
  const { islandModules, staticFiles, ...rest } = snapshot;
  return {
    ...rest,
    root,
    reload: false,
    islands: islandRegistry(islandModules),
    async readFile(path) {
      const entry = staticFiles.get(path);
      return entry === undefined ? null : await readStaticFile(join(root, entry.filePath), entry);
    },
  };
}
