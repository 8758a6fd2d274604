import { SCOPES } from "@/lib/schemas/scopes.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const FOLDERS = ["components", "islands", "routes", "lib/dashboard"];
const LITERAL = String.raw`"(?:[^"\\]|\\.)*"`;
const CALL = new RegExp(String.raw`\b(?:translate|t|rich|msg)\(\s*(${LITERAL})`, "g");
const PLURAL = new RegExp(String.raw`\bplural\(\s*[^;]*?(${LITERAL}),\s*(${LITERAL}),?\s*\)`, "gs");
const IMPORT = /^import (?!type )[^;]*?from "([^"]+)"/gms;

export interface DashboardTexts {
  /** All English texts that the source hands to `t` and its like. */
  all: Set<string>;
  /** Those that code of islands can show in the browser. */
  ofScripts: Set<string>;
}

/** Reads the texts of the dashboard from its source. */
export async function dashboardTexts(): Promise<DashboardTexts> {
  const sources = new Map<string, string>();
  for (const folder of FOLDERS) {
    for await (const file of sourceFiles(`${ROOT}${folder}`)) {
      sources.set(file, await Deno.readTextFile(file));
    }
  }
  const inBrowser = reachable(sources);
  // Their descriptions are in the API's schemas.
  const all = new Set<string>(Object.values(SCOPES));
  const ofScripts = new Set<string>();
  for (const [file, source] of sources) {
    for (const text of textsIn(source)) {
      all.add(text);
      if (inBrowser.has(file)) ofScripts.add(text);
    }
  }
  return { all, ofScripts };
}

/** The names of a text's placeholders, sorted. */
export function placeholdersOf(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();
}

function textsIn(source: string): string[] {
  return [...source.matchAll(CALL), ...source.matchAll(PLURAL)]
    .flatMap(([, ...literals]) => literals.map((literal) => JSON.parse(literal!) as string));
}

/** The files that an island imports, directly or through others. */
function reachable(sources: ReadonlyMap<string, string>): Set<string> {
  const seen = new Set<string>();
  const queue = [...sources.keys()].filter((file) => file.startsWith(`${ROOT}islands/`));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, path] of sources.get(file)!.matchAll(IMPORT)) {
      const target = path!.startsWith("@/")
        ? `${ROOT}${path!.slice(2)}`
        : new URL(path!, `file://${file}`).pathname;
      if (sources.has(target)) queue.push(target);
    }
  }
  return seen;
}

async function* sourceFiles(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourceFiles(path);
    else if (/(?<!_test)\.tsx?$/.test(name)) yield path;
  }
}
