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

/** Values nested deeper overflow the stack of whatever walks them by recursion. */
export const MAX_JSON_DEPTH = 64;

/** Whether a JSON value is nested deeper than 64 levels; walks it without recursion. */
export function isTooDeep(root: unknown): boolean {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : []
    );
  }
  return false;
}
