import { join } from "node:path";
import { type BuildCache, openStaticFile } from "../build_cache.ts";
import type { BundledFile } from "./bundle.ts";
import { contentTypeOf } from "./content_type.ts";

export interface MemoryFiles {
  staticDirs: string[];
  /** By URL path. */
  files: Map<string, BundledFile>;
}

/** `readFile` of a build in memory: bundles are there, static files are read where they are. */
export function memoryReader({ staticDirs, files }: MemoryFiles): BuildCache["readFile"] {
  return async (path) => {
    const contentType = contentTypeOf(path);
    const file = files.get(path);
    if (file !== undefined) {
      const { content: readable, hash } = file;
      return { hash, contentType, readable, size: readable.byteLength, close: () => {} };
    }
    if (isHidden(path)) return null;
    for (const dir of staticDirs) {
      const found = await openStaticFile(join(dir, path), { hash: null, contentType });
      if (found !== null) return found;
    }
    return null;
  };
}

/** Dot files are never served; `..` is one of them, so a path cannot leave its folder. */
export function isHidden(path: string): boolean {
  return path.includes("\0") || path.includes("\\") ||
    path.split("/").some((part) => part.startsWith(".") && part !== ".well-known");
}
