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
    try {
      return toProjectConfig(dir, JSON.parse(await Deno.readTextFile(join(dir, "deno.json"))));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || dirname(dir) === dir) throw error;
    }
  }
}

interface DenoJson {
  imports?: Record<string, string>;
  compilerOptions?: { jsx?: string; jsxImportSource?: string };
}

function toProjectConfig(dir: string, { imports = {}, compilerOptions }: DenoJson): ProjectConfig {
  const { jsx, jsxImportSource } = compilerOptions ?? {};
  if (jsx !== "react-jsx" || jsxImportSource === undefined) {
    throw new Error(`${dir}/deno.json needs jsx "react-jsx" and a jsxImportSource`);
  }
  return { dir, imports, jsxImportSource };
}

/**
 * Where the import map sends a specifier: a path of the project, or the name of an npm package, or
 * null without an entry. Throws for packages that a browser bundle cannot contain.
 */
export function mapSpecifier(
  specifier: string,
  { dir, imports }: ProjectConfig,
): string | null {
  const key = Object.keys(imports)
    .filter((each) => specifier === each || specifier.startsWith(each.replace(/\/?$/, "/")))
    .sort((a, b) => b.length - a.length)[0];
  const target = key === undefined ? specifier : imports[key] + specifier.slice(key.length);
  if (target.startsWith("jsr:")) {
    throw new Error(`${specifier} is a JSR package, which is not in this build's browser bundles`);
  }
  // `npm:@scope/name@^1.2.3/sub` to `@scope/name/sub`.
  const [, name, path = ""] = target.match(/^npm:(@?[^@]+)(?:@[^/]*)?(\/.*)?$/) ?? [];
  if (name !== undefined) return name + path;
  return target.startsWith("./") || target.startsWith("../") ? join(dir, target) : null;
}
