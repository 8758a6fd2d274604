/** How the service's dashboard says that the widget looks, unless its tag says it. */
import type { ReadAttribute } from "./config.ts";

/** By the names of the tag's attributes in camel case. */
export type Appearance = Readonly<Record<string, unknown>>;

/** Reads the tag's attributes, and from the appearance those that the tag does not have. */
export function withAppearance(read: ReadAttribute, appearance: Appearance): ReadAttribute {
  return (name) => read(name) ?? attributeOf(appearance, name);
}

function attributeOf(appearance: Appearance, name: string): string | null {
  const key = name.slice(5).replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return Object.hasOwn(appearance, key) ? [appearance[key]].flat().join("|") : null;
}

/** Asks the service; `undefined` if it cannot be reached. */
export function loadAppearance(
  { apiBase, agentId, fetcher }: {
    readonly apiBase: string;
    readonly agentId: string;
    readonly fetcher: typeof fetch;
  },
): Promise<Appearance | undefined> {
  return fetcher(`${apiBase}/widget/${agentId}/appearance.json`)
    .then((response) => response.ok ? response.json() : undefined)
    .catch(() => undefined);
}
