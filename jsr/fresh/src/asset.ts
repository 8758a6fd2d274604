import { ASSET_CACHE_BUST_KEY } from "./build_id.ts";

/** Adds the build id to a rooted path; every other URL, and one that has it, is left alone. */
export function assetWithId(path: string, id: string): string {
  if (!path.startsWith("/") || path.startsWith("//")) return path;
  const url = URL.parse(path, "http://asset.invalid");
  if (url === null || url.host !== "asset.invalid") return path;
  if (url.searchParams.has(ASSET_CACHE_BUST_KEY)) return path;
  url.searchParams.set(ASSET_CACHE_BUST_KEY, id);
  return url.pathname + url.search + url.hash;
}
