import { join, relative, sep } from "node:path";
import type { RouteFileType } from "../fs_routes.ts";
import { fileToPattern } from "../patterns.ts";
import { compareRouteIds } from "./route_order.ts";

/** A route file that has been found but not loaded. */
export interface FoundRoute {
  id: string;
  filePath: string;
  type: RouteFileType;
  pattern: string;
  routePattern: string;
  /** Load it with its first request. */
  lazy: boolean;
}

export interface CrawlOptions {
  routeDir: string;
  islandDir: string;
  ignore: RegExp[];
}

const MODULE = /\.(tsx|ts|jsx|js)$/;

/** Finds the route files, in the order they are to be registered, and the island files. */
export async function crawl(
  { routeDir, islandDir, ignore }: CrawlOptions,
): Promise<{ routes: FoundRoute[]; islands: string[] }> {
  const isModule = (path: string) => MODULE.test(path) && !ignore.some((each) => each.test(path));
  const islands = (await listFiles(islandDir)).filter(isModule);
  const routes: FoundRoute[] = [];
  for (const path of (await listFiles(routeDir)).filter(isModule)) {
    // Folders named `(_x)` hold no routes; one of them holds islands.
    const helper = relative(routeDir, path).split(sep).find((part) => /^\(_.+\)$/.test(part));
    if (helper === undefined) routes.push(await describeRoute(routeDir, path));
    else if (helper === "(_islands)") islands.push(path);
  }
  routes.sort((a, b) => compareRouteIds(a.id, b.id));
  return { routes, islands };
}

/** All files in a folder and below, sorted; none when the folder does not exist. */
export async function listFiles(dir: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(dir)) {
      const path = join(dir, entry.name);
      if (entry.isDirectory) found.push(...await listFiles(path));
      else found.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort();
}

const SPECIAL_FILES: Record<string, RouteFileType> = {
  _404: "notFound",
  _500: "error",
  _app: "app",
  _error: "error",
  _layout: "layout",
  _middleware: "middleware",
};

async function describeRoute(
  routeDir: string,
  filePath: string,
): Promise<FoundRoute> {
  const path = relative(routeDir, filePath).replaceAll(sep, "/");
  const id = `/${path.replace(MODULE, "")}`;
  const name = id.slice(id.lastIndexOf("/") + 1);
  const type = SPECIAL_FILES[name];
  if (type !== undefined) {
    const pattern = fileToPattern(id.slice(0, -name.length), {
      keepGroups: true,
    });
    return { id, filePath, type, pattern, routePattern: pattern, lazy: false };
  }
  let pattern = fileToPattern(id, { keepGroups: true });
  // An index belongs to the scope of its own folder.
  if (name === "index" && !pattern.endsWith("/")) pattern += "/";
  // A pattern of its own has to be known before the first request.
  const lazy = !(await Deno.readTextFile(filePath)).includes("routeOverride");
  return {
    id,
    filePath,
    type: "route",
    pattern,
    routePattern: fileToPattern(id),
    lazy,
  };
}
