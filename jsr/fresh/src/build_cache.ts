import type { ComponentType } from "preact";

/** An interactive component and the browser file that exports it. */
export interface Island {
  file: string;
  name: string;
  exportName: string;
  fn: ComponentType;
}

export type IslandRegistry = Map<ComponentType, Island>;

/** A servable file. */
export interface StaticFile {
  /** Null when it may change while the app runs. */
  hash: string | null;
  contentType: string;
  content: Uint8Array<ArrayBuffer>;
}

/** The kind of a route file, from its name. */
export type RouteFileType = "app" | "error" | "layout" | "middleware" | "notFound" | "route";

/** A file of the routes folder, with its module; of a page or endpoint, what loads it. */
export interface RouteFile {
  /** Path below the folder, without extension: `/blog/[slug]`. */
  id: string;
  type: RouteFileType;
  /** Where it is in the tree of scopes, groups included. */
  pattern: string;
  /** The URLPattern pathname it answers to. */
  routePattern: string;
  mod: unknown;
}

/** The result of a build for an app. */
export interface BuildCache {
  readonly root: string;
  readonly buildId: string;
  readonly islands: IslandRegistry;
  /** URL path of the browser runtime. */
  readonly clientEntry: string;
  /** True when every page has to connect to the development server. */
  readonly reload: boolean;
  /** In the order they are to be registered. */
  readonly routeFiles: RouteFile[];
  /** Takes a decoded URL path; null when there is no such file. */
  readFile(path: string): Promise<StaticFile | null>;
}

/** For an app without a build: no file routes, no islands, no files. */
export function emptyBuildCache(): BuildCache {
  return {
    root: ".",
    buildId: "unbuilt",
    islands: new Map(),
    clientEntry: "",
    reload: false,
    routeFiles: [],
    readFile: () => Promise.resolve(null),
  };
}

/** Reads a file to be sent; null when it is not there or is not a file. */
export async function readStaticFile(
  path: string,
  about: Omit<StaticFile, "content">,
): Promise<StaticFile | null> {
  try {
    return { ...about, content: await Deno.readFile(path) };
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/** Includes names that are too long for the file system. */
function isAbsence(error: unknown): boolean {
  const { NotFound, NotADirectory, IsADirectory } = Deno.errors;
  return [NotFound, NotADirectory, IsADirectory].some((each) => error instanceof each) ||
    (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG");
}
