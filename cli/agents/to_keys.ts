import { RESOURCE_KINDS } from "../../lib/schemas/configuration.ts";
import type { Remote } from "./remote.ts";

/** A key for each resource, by `kind/id`: its own, or one of its name. */
export function toKeys(remote: Remote): Map<string, string> {
  const keys = new Map<string, string>();
  for (const kind of RESOURCE_KINDS) {
    const taken = new Set(remote.keys(kind));
    // The oldest has the plain name, whatever comes later.
    for (const [id, { name }] of [...remote.all(kind)].reverse()) {
      const own = remote.keyOf(kind, id);
      const key = own ?? freeKey(slug(name) || kind.replace(/s$/, ""), taken);
      taken.add(key);
      keys.set(`${kind}/${id}`, key);
    }
  }
  return keys;
}

/** Lower-case ASCII with dashes; empty if nothing is left. */
export function slug(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-").replace(/^[-_]+/, "").slice(0, 56).replace(/-+$/, "");
}

function freeKey(wanted: string, taken: ReadonlySet<string>): string {
  for (let n = 1;; n++) {
    const key = n === 1 ? wanted : `${wanted}-${n}`;
    if (!taken.has(key)) return key;
  }
}
