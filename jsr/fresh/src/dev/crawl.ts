import { join, relative, sep } from "node:path";
import type { RouteFile, RouteFileType } from "../build_cache.ts";
import { notInThisBuild } from "../unsupported.ts";
import { fileToPattern } from "../patterns.ts";
import { compareRouteIds } from "./route_order.ts";

/** A route file that has been found but not loaded. */
export type FoundRoute = Omit<RouteFile, "mod"> & { filePath: string };

const MODULE = /\.(tsx|ts|jsx|js)$/;
const TEST = /[._]test\.[a-z]+$/;

/** Finds the route files, in the order they are to be registered, and the island files. */
export async function crawl(
  root: string,
): Promise<{ routes: FoundRoute[]; islands: string[] }> {
  const routeDir = join(root, "routes");
  const isModule = (path: string) => MODULE.test(path) && !TEST.test(path);
  const islands = (await listFiles(join(root, "islands"))).filter(isModule);
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
      found.push(...entry.isDirectory ? await listFiles(path) : [path]);
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

async function describeRoute(routeDir: string, filePath: string): Promise<FoundRoute> {
  const id = `/${relative(routeDir, filePath).replaceAll(sep, "/").replace(MODULE, "")}`;
  const name = id.slice(id.lastIndexOf("/") + 1);
  const special = SPECIAL_FILES[name];
  if (special !== undefined) {
    const pattern = fileToPattern(id.slice(0, -name.length), { keepGroups: true });
    return { id, filePath, type: special, pattern, routePattern: pattern };
  }
  // The file would respond at another URL than that of its name, after its first request.
  if ((await Deno.readTextFile(filePath)).includes("routeOverride")) {
    notInThisBuild(`routeOverride in routes${id}`);
  }
  let pattern = fileToPattern(id, { keepGroups: true });
  // An index belongs to the scope of its folder.
  if (name === "index" && !pattern.endsWith("/")) pattern += "/";
  return { id, filePath, type: "route", pattern, routePattern: fileToPattern(id) };
}
