import { dirname, join } from "node:path";

/** The settings of the project that a browser bundle depends on. */
export interface ProjectConfig {
  /** Folder of the `deno.json`. */
  dir: string;
  imports: Record<string, string>;
  jsxImportSource: string;
}

/** Reads the nearest `deno.json` at or above a folder. */
export async function readProjectConfig(from: string): Promise<ProjectConfig> {
  for (let dir = from;; dir = dirname(dir)) {
    const text = await readIfPresent(join(dir, "deno.json"));
    if (text !== null) return toProjectConfig(dir, JSON.parse(text));
    if (dirname(dir) === dir) {
      throw new Error(`There is no deno.json at or above ${from}`);
    }
  }
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

interface DenoJson {
  imports?: Record<string, string>;
  compilerOptions?: { jsx?: string; jsxImportSource?: string };
}

function toProjectConfig(
  dir: string,
  { imports = {}, compilerOptions }: DenoJson,
): ProjectConfig {
  const jsxImportSource = compilerOptions?.jsxImportSource;
  if (jsxImportSource === undefined) {
    throw new Error(`${dir}/deno.json needs compilerOptions.jsxImportSource`);
  }
  if (compilerOptions?.jsx === "precompile") {
    throw new Error(
      `${dir}/deno.json has jsx "precompile", which is not in this build: "react-jsx"`,
    );
  }
  return { dir, imports, jsxImportSource };
}

/**
 * Where the import map sends a specifier: a path of the project, or the name of an npm package, or
 * null when it says nothing. Throws for what has no source in a browser.
 */
export function mapSpecifier(
  specifier: string,
  { dir, imports }: ProjectConfig,
): string | null {
  const key = Object.keys(imports)
    .filter((each) =>
      specifier === each ||
      (each.endsWith("/") && specifier.startsWith(each)) ||
      specifier.startsWith(`${each}/`)
    )
    .sort((a, b) => b.length - a.length)[0];
  const target = key === undefined ? specifier : imports[key] + specifier.slice(key.length);
  if (target.startsWith("npm:")) return npmPackagePath(target);
  if (target.startsWith("jsr:")) {
    throw new Error(
      `${specifier} is a JSR package, which is not in this build's browser bundles`,
    );
  }
  return target.startsWith("./") || target.startsWith("../") ? join(dir, target) : null;
}

/** `npm:@scope/name@^1.2.3/sub` to `@scope/name/sub`. */
function npmPackagePath(specifier: string): string {
  return specifier.replace(/^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@[^/]*)?/, "$1");
}
