import type { ComponentType } from "preact";
import type { IslandRegistry } from "./build_cache.ts";

/** An island module on the server and the URL path of its browser bundle. */
export interface IslandModule {
  /** Name of its default export. */
  name: string;
  file: string;
  mod: object;
}

/** Every function that the modules export is an island, under a name that no other one has. */
export function islandRegistry(modules: IslandModule[]): IslandRegistry {
  const registry: IslandRegistry = new Map();
  const names = new Set<string>();
  for (const { name, file, mod } of modules) {
    for (const [exportName, value] of Object.entries(mod)) {
      if (typeof value !== "function") continue;
      const island = uniqueName(exportName === "default" ? name : exportName, names);
      const fn = value as ComponentType;
      registry.set(fn, { name: island, exportName, file, fn });
    }
  }
  return registry;
}

/** Makes a name of letters, digits, `_` and `$` that is not in `taken`, and takes it. */
export function uniqueName(wanted: string, taken: Set<string>): string {
  const plain = wanted.replace(/[^A-Za-z0-9_$]+/g, "_");
  let name = plain;
  for (let i = 1; taken.has(name); i++) name = `${plain}_${i}`;
  taken.add(name);
  return name;
}
