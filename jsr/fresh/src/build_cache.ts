import type { ComponentType } from "preact";
import type { RouteFile } from "./fs_routes.ts";

/** An interactive component and the browser file that exports it. */
export interface Island {
  file: string;
  name: string;
  exportName: string;
  fn: ComponentType;
}

export type IslandRegistry = Map<ComponentType, Island>;

/** A servable file. `close` must be called when the body is not sent. */
export interface StaticFile {
  hash: string | null;
  size: number;
  contentType: string;
  readable: BodyInit;
  close(): void;
}

/** What a build gives to an app. */
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

/** Stands in when an app runs without a build: no file routes, no islands, no files. */
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

/** Opens a file for sending; null when it is not there or is not a file. */
export async function openStaticFile(
  path: string,
  about: Pick<StaticFile, "hash" | "contentType">,
): Promise<StaticFile | null> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path);
  } catch (error) {
    const { NotFound, NotADirectory } = Deno.errors;
    if (error instanceof NotFound || error instanceof NotADirectory) return null;
    throw error;
  }
  const { isFile, size } = await file.stat();
  if (isFile) return { ...about, size, readable: file.readable, close: () => file.close() };
  file.close();
  return null;
}
