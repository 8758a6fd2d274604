/**
 * JSON with sorted keys, so that equal values compare equal whatever order they came in. A field that
 * is `undefined` counts as absent. Recursive: for values that are known not to be nested deeply.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    const entries = Object.entries(inner).filter(([, v]) => v !== undefined);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
