/** Recursive functions overflow the stack on values nested deeper. */
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
