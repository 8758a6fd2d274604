import type { Import } from "./imports.ts";

/** Export paths of the packages as published, by version; the stand-ins cover a part of them. */
const PUBLISHED: Record<string, string[]> = {
  // 2.3.3
  "@fresh/core": [
    ".",
    "./compat",
    "./dev",
    "./internal",
    "./internal-dev",
    "./runtime",
    "./runtime-client",
  ],
  // 1.1.3
  "@std/http": [
    ".",
    "./cookie",
    "./etag",
    "./file-server",
    "./negotiation",
    "./server-sent-event-parse-stream",
    "./server-sent-event-stream",
    "./status",
    "./user-agent",
  ],
  // 1.1.0
  "@std/crypto": [".", "./aes-gcm", "./crypto", "./timing-safe-equal"],
  // 1.0.20
  "@std/testing": ["./bdd", "./mock", "./snapshot", "./time", "./types"],
  // 1.0.19; its single assertions have paths too, this project uses the root
  "@std/assert": ["."],
};

/**
 * Imports that would not resolve with `links` deleted: of a JSR package that is not in the table, or
 * of a path that the published package does not have.
 *
 * @param aliases the import map of the root `deno.json`
 */
export function unpublishedImports(imports: Import[], aliases: Record<string, string>): string[] {
  return imports.flatMap(({ from, line, specifier }) => {
    const wanted = jsrPath(specifier, aliases);
    if (!wanted || PUBLISHED[wanted.name]?.includes(wanted.path)) return [];
    return [`${from}:${line} imports ${specifier}: ${wanted.name} has no published ${wanted.path}`];
  });
}

/** Export paths that a stand-in offers and the published package does not. */
export function inventedExports(name: string, exports: Record<string, string>): string[] {
  return Object.keys(exports)
    .filter((path) => !PUBLISHED[name]?.includes(path))
    .map((path) => `${name} has no published ${path}`);
}

function jsrPath(
  specifier: string,
  aliases: Record<string, string>,
): { name: string; path: string } | undefined {
  const alias = Object.keys(aliases)
    .find((key) => specifier === key || specifier.startsWith(`${key}/`));
  const address = alias ? aliases[alias] + specifier.slice(alias.length) : specifier;
  const match = /^jsr:\/?(@[^/]+\/[^@/]+)(?:@[^/]*)?(\/.+)?$/.exec(address);
  return match?.[1] ? { name: match[1], path: `.${match[2] ?? ""}` } : undefined;
}
