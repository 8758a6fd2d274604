/** Reads who imports whom, with Deno's own parser and resolver, so that it is what will run. */
import { fileURLToPath, pathToFileURL } from "node:url";

/** One import statement. Paths are relative to the root, with forward slashes. */
export interface Import {
  from: string;
  /** A path in the tree, or the address of a package: `npm:zod@4.6.7`, `jsr:…`, `node:crypto`. */
  to: string;
  /** As written. */
  specifier: string;
  /** `import type`: gone at run time. */
  typeOnly: boolean;
  /** From 1. */
  line: number;
}

const SOURCE = /\.tsx?$/;
const SKIPPED = new Set(["node_modules", "_fresh", ".git", ".data", "fixtures"]);

/** Every TypeScript file under `root`, as sorted relative paths. */
export function listSources(root: string): Promise<string[]> {
  return listFiles(root, SOURCE);
}

/** Every Markdown page, relative to `root`. */
export function listPages(root: string): Promise<string[]> {
  return listFiles(root, /\.md$/);
}

async function listFiles(root: string, wanted: RegExp, folder = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(`${root}/${folder}`)) {
    const path = folder + entry.name;
    if (entry.isDirectory && !SKIPPED.has(entry.name)) {
      found.push(...await listFiles(root, wanted, `${path}/`));
    } else if (entry.isFile && wanted.test(entry.name)) found.push(path);
  }
  return found.sort();
}

/** Every import of the given files, resolved by the `deno.json` at `root`. */
export async function readImports(root: string, files: string[]): Promise<Import[]> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const urls = files.map((file) => `import(${JSON.stringify(toUrl(root, file))});`);
    await Deno.writeTextFile(entry, urls.join("\n"));
    const graph = await readGraph(root, entry);
    const wanted = new Set(files);
    return graph.modules.flatMap((module) => {
      const from = toPath(root, module.specifier);
      return wanted.has(from) ? importsOf(module, { root, from }) : [];
    });
  } finally {
    await Deno.remove(entry);
  }
}

/** The part of `deno info --json` that is read here. */
interface Graph {
  modules: Module[];
}

interface Module {
  specifier: string;
  error?: string;
  dependencies?: { specifier: string; code?: Resolved; type?: Resolved }[];
}

interface Resolved {
  specifier?: string;
  error?: string;
  span: { start: { line: number } };
}

async function readGraph(root: string, entry: string): Promise<Graph> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // Packages by their names, not by where they are installed.
    args: ["info", "--json", "--node-modules-dir=auto", "--config", `${root}/deno.json`, entry],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`deno info failed: ${decoder.decode(stderr)}`);
  return JSON.parse(decoder.decode(stdout));
}

function importsOf(module: Module, { root, from }: { root: string; from: string }): Import[] {
  if (module.error) throw new Error(`${from} cannot be read: ${module.error}`);
  return (module.dependencies ?? []).flatMap(({ specifier, code, type }) => {
    const resolved = code ?? type;
    if (!resolved) return [];
    if (!resolved.specifier) throw new Error(`${from}: ${specifier} is not found`);
    const line = resolved.span.start.line + 1;
    return [{ from, to: toPath(root, resolved.specifier), specifier, typeOnly: !code, line }];
  });
}

function toUrl(root: string, file: string): string {
  return pathToFileURL(`${root}/${file}`).href;
}

/** Paths inside the root become relative, all other addresses stay as they are. */
function toPath(root: string, specifier: string): string {
  if (!specifier.startsWith("file:")) return specifier;
  const path = fileURLToPath(specifier);
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
