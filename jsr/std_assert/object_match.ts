import { assertEquals } from "./equals.ts";

type Loose = Record<PropertyKey, unknown>;
/** Results by pair, so that a cycle ends and one object under two patterns is cut twice. */
type Seen = Map<object, Map<object, unknown>>;

/**
 * Fails unless `actual` has at least what `expected` has: extra keys are ignored at every depth, and
 * of an array only as many items are looked at as `expected` names. Classes are not compared.
 */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  assertEquals(
    pick(actual, expected, new Map()),
    pick(expected, expected, new Map()),
    msg,
  );
}

/** `actual` cut down to the shape of `expected`; both sides lose their prototypes on the way. */
function pick(actual: unknown, expected: unknown, seen: Seen): unknown {
  if (!isContainer(actual) || !isContainer(expected)) return actual;
  const before = seen.get(actual)?.get(expected);
  if (before !== undefined) return before;
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return pickArray(actual, expected, seen);
  }
  if (actual instanceof Map && expected instanceof Map) {
    return pickMap(actual, expected, seen);
  }
  if (actual instanceof Set && expected instanceof Set) {
    return actual.intersection(expected);
  }
  return pickObject(actual as Loose, expected as Loose, seen);
}

function remember<T>(seen: Seen, pair: [object, object], picked: T): T {
  seen.getOrInsertComputed(pair[0], () => new Map()).set(pair[1], picked);
  return picked;
}

function pickArray(
  actual: unknown[],
  expected: unknown[],
  seen: Seen,
): unknown[] {
  const picked = remember<unknown[]>(seen, [actual, expected], []);
  for (const [i, item] of actual.slice(0, expected.length).entries()) {
    picked.push(pick(item, expected[i], seen));
  }
  return picked;
}

function pickObject(actual: Loose, expected: Loose, seen: Seen): Loose {
  const picked = remember<Loose>(seen, [actual, expected], {});
  for (const key of Reflect.ownKeys(expected)) {
    if (!(key in actual)) continue;
    Object.defineProperty(picked, key, {
      value: pick(actual[key], expected[key], seen),
      enumerable: true,
    });
  }
  return picked;
}

function pickMap(
  actual: Map<unknown, unknown>,
  expected: Map<unknown, unknown>,
  seen: Seen,
): Map<unknown, unknown> {
  const picked = remember(
    seen,
    [actual, expected],
    new Map<unknown, unknown>(),
  );
  for (const [key, value] of actual) {
    if (expected.has(key)) {
      picked.set(key, pick(value, expected.get(key), seen));
    }
  }
  return picked;
}

/** A date or a pattern is a value, not a container of keys. */
function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    !(value instanceof Date) && !(value instanceof RegExp);
}
