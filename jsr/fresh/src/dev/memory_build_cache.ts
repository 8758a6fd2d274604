import { join } from "node:path";
import { type BuildCache, readStaticFile } from "../build_cache.ts";
import type { BundledFile } from "./bundle.ts";
import { contentTypeOf } from "./content_type.ts";

/** `readFile` of a build in memory: its bundles by URL path, and static files where they are. */
export function memoryReader(
  { root, files }: { root: string; files: Map<string, BundledFile> },
): BuildCache["readFile"] {
  return async (path) => {
    const contentType = contentTypeOf(path);
    const file = files.get(path);
    if (file !== undefined) return { ...file, contentType };
    if (isHidden(path)) return null;
    return await readStaticFile(join(root, "static", path), { hash: null, contentType });
  };
}

/** Dot files are never served; `..` is one of them, so a path cannot leave its folder. */
export function isHidden(path: string): boolean {
  return path.includes("\0") || path.includes("\\") ||
    path.split("/").some((part) => part.startsWith(".") && part !== ".well-known");
}
