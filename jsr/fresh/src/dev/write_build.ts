import { dirname, join, relative, sep } from "node:path";
import type { FileEntry } from "../internal.ts";
import type { BundledFile } from "./bundle.ts";
import { contentTypeOf } from "./content_type.ts";
import { type FoundRoute, listFiles } from "./crawl.ts";
import { isHidden } from "./memory_build_cache.ts";

/** Everything that has been found and bundled. Paths are absolute. */
export interface Build {
  root: string;
  outDir: string;
  buildId: string;
  /** True for development, where pages connect to the server. */
  reload: boolean;
  clientEntry: string;
  /** By URL path. */
  files: Map<string, BundledFile>;
  islands: { name: string; file: string; source: string }[];
  routes: FoundRoute[];
}

type Files = [urlPath: string, FileEntry][];

/** Writes the browser files and the modules that put the build into the app. */
export async function writeBuild(build: Build): Promise<void> {
  const files = [...await writeBundles(build), ...await listStaticFiles(build)];
  await Deno.writeTextFile(join(build.outDir, "snapshot.js"), snapshotModule(build, files));
  await Deno.writeTextFile(join(build.outDir, "server.js"), serverModule(build));
}

async function writeBundles({ root, outDir, files }: Build): Promise<Files> {
  const entries: Files = [];
  for (const [urlPath, { content, hash }] of files) {
    const path = join(outDir, "static", urlPath);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeFile(path, content);
    entries.push([urlPath, entryOf({ root, path, hash })]);
  }
  return entries;
}

async function listStaticFiles({ root }: Build): Promise<Files> {
  const entries: Files = [];
  for (const path of await listFiles(join(root, "static"))) {
    const urlPath = `/${posix(relative(join(root, "static"), path))}`;
    if (isHidden(urlPath)) continue;
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
    entries.push([urlPath, entryOf({ root, path, hash: new Uint8Array(digest).toHex() })]);
  }
  return entries;
}

function entryOf({ root, path, hash }: { root: string; path: string; hash: string }): FileEntry {
  return { filePath: posix(relative(root, path)), hash, contentType: contentTypeOf(path) };
}

const NOTICE = "// Written by the build. Changes are lost with the next one.\n";

/** Islands are imported at the start, because every page may need them; routes on first use. */
function snapshotModule(build: Build, files: Files): string {
  const specifier = (path: string) => JSON.stringify(specifierFrom(build.outDir, path));
  const islands = build.islands.map(({ source, ...rest }, i) => ({
    head: `import * as island${i} from ${specifier(source)};`,
    item: `  { ...${JSON.stringify(rest)}, mod: island${i} },`,
  }));
  const routes = build.routes.map(({ filePath, ...rest }, i) => ({
    head: rest.type === "route"
      ? `const route${i} = () => import(${specifier(filePath)});`
      : `import * as route${i} from ${specifier(filePath)};`,
    item: `  { ...${JSON.stringify(rest)}, mod: route${i} },`,
  }));
  return [
    NOTICE,
    ...[...islands, ...routes].map(({ head }) => head),
    `export const buildId = ${JSON.stringify(build.buildId)};`,
    `export const clientEntry = ${JSON.stringify(build.clientEntry)};`,
    ...["export const islandModules = [", ...islands.map(({ item }) => item), "];"],
    ...["export const routeFiles = [", ...routes.map(({ item }) => item), "];"],
    `export const staticFiles = new Map(${JSON.stringify(files, null, 2)});\n`,
  ].join("\n");
}

function serverModule({ root, outDir }: Build): string {
  return `${NOTICE}
import { join } from "node:path";
import { diskBuildCache, setBuildCache } from "fresh/internal";
import * as snapshot from "./snapshot.js";
import { app } from ${JSON.stringify(specifierFrom(outDir, join(root, "main.ts")))};

const root = join(import.meta.dirname, ${JSON.stringify(posix(relative(outDir, root)))});
setBuildCache(app, diskBuildCache(root, snapshot), "production");

export default { fetch: app.handler() };
`;
}

function specifierFrom(dir: string, path: string): string {
  const specifier = posix(relative(dir, path));
  return specifier.startsWith(".") ? specifier : `./${specifier}`;
}

function posix(path: string): string {
  return path.replaceAll(sep, "/");
}
