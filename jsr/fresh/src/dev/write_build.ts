import { dirname, join, relative, sep } from "node:path";
import type { FileEntry } from "../internal.ts";
import type { BundledFile } from "./bundle.ts";
import { contentTypeOf } from "./content_type.ts";
import { type FoundRoute, listFiles } from "./crawl.ts";
import { isHidden } from "./memory_build_cache.ts";

export interface DiskBuild {
  root: string;
  outDir: string;
  serverEntry: string;
  buildId: string;
  clientEntry: string;
  staticDirs: string[];
  files: Map<string, BundledFile>;
  islands: { name: string; file: string; source: string }[];
  routes: FoundRoute[];
}

/** Writes the browser files and the modules that put the build into the app. */
export async function writeBuild(build: DiskBuild): Promise<void> {
  const { outDir } = build;
  const staticFiles = new Map([
    ...await copyBundles(build),
    ...await listStaticFiles(build),
  ]);
  await Deno.writeTextFile(
    join(outDir, "snapshot.js"),
    snapshotModule(build, staticFiles),
  );
  await Deno.writeTextFile(join(outDir, "server.js"), serverModule(build));
  await Deno.writeTextFile(join(outDir, "compiled-entry.js"), COMPILED_ENTRY);
}

async function copyBundles(
  { root, outDir, files }: DiskBuild,
): Promise<Map<string, FileEntry>> {
  const dir = join(outDir, "static");
  try {
    await Deno.remove(dir, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const entries = new Map<string, FileEntry>();
  await Deno.mkdir(dir, { recursive: true });
  for (const [urlPath, { content, hash }] of files) {
    const path = join(dir, urlPath);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeFile(path, content);
    entries.set(urlPath, entryOf(root, path, hash));
  }
  return entries;
}

/** Where two static folders have the same file, the first one's is served. */
async function listStaticFiles(
  { root, outDir, staticDirs }: DiskBuild,
): Promise<Map<string, FileEntry>> {
  const entries = new Map<string, FileEntry>();
  for (const dir of staticDirs) {
    for (const path of await listFiles(dir)) {
      const urlPath = `/${posix(relative(dir, path))}`;
      const inOutDir = !relative(outDir, path).startsWith("..");
      if (entries.has(urlPath) || isHidden(urlPath) || inOutDir) continue;
      const digest = await crypto.subtle.digest(
        "SHA-256",
        await Deno.readFile(path),
      );
      entries.set(urlPath, entryOf(root, path, new Uint8Array(digest).toHex()));
    }
  }
  return entries;
}

function entryOf(root: string, path: string, hash: string): FileEntry {
  return {
    filePath: posix(relative(root, path)),
    hash,
    contentType: contentTypeOf(path),
  };
}

const NOTICE = "// Written by the build. Changes are lost with the next one.\n";

/** Islands are imported at once, as every page may need them; routes with their first request. */
function snapshotModule(
  build: DiskBuild,
  staticFiles: Map<string, FileEntry>,
): string {
  const specifier = (path: string) => JSON.stringify(specifierFrom(build.outDir, path));
  const islandImports = build.islands.map(({ source }, i) =>
    `import * as island${i} from ${specifier(source)};`
  );
  const routeImports = build.routes.map(({ filePath, lazy }, i) =>
    lazy
      ? `const route${i} = () => import(${specifier(filePath)});`
      : `import * as route${i} from ${specifier(filePath)};`
  );
  const islands = build.islands.map(({ name, file }, i) =>
    `  { name: ${JSON.stringify(name)}, file: ${JSON.stringify(file)}, mod: island${i} },`
  );
  const routes = build.routes.map(({ id, type, pattern, routePattern }, i) => {
    const fields = JSON.stringify({ id, type, pattern, routePattern });
    return `  { ...${fields}, mod: route${i} },`;
  });
  const files = [...staticFiles].map((entry) => `  ${JSON.stringify(entry)},`);
  return [
    NOTICE,
    ...islandImports,
    ...routeImports,
    "",
    `export const buildId = ${JSON.stringify(build.buildId)};`,
    `export const clientEntry = ${JSON.stringify(build.clientEntry)};`,
    ...["export const islandModules = [", ...islands, "];"],
    ...["export const routeFiles = [", ...routes, "];"],
    ...["export const staticFiles = new Map([", ...files, "]);"],
    "",
  ].join("\n");
}

function serverModule({ root, outDir, serverEntry }: DiskBuild): string {
  return `${NOTICE}
import { join } from "node:path";
import { ProdBuildCache, setBuildCache } from "fresh/internal";
import * as snapshot from "./snapshot.js";
import { app } from ${JSON.stringify(specifierFrom(outDir, serverEntry))};

const root = join(import.meta.dirname, ${JSON.stringify(posix(relative(outDir, root)))});
setBuildCache(app, new ProdBuildCache(root, snapshot), "production");

export default { fetch: app.handler() };
`;
}

const COMPILED_ENTRY = `${NOTICE}
import server from "./server.js";

const port = Number(Deno.env.get("PORT") ?? 8000);
const hostname = Deno.env.get("HOSTNAME");
Deno.serve(hostname ? { port, hostname } : { port }, server.fetch);
`;

function specifierFrom(dir: string, path: string): string {
  const specifier = posix(relative(dir, path));
  return specifier.startsWith(".") ? specifier : `./${specifier}`;
}

function posix(path: string): string {
  return path.replaceAll(sep, "/");
}
