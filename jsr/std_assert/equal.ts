/** Pairs under comparison: a cycle that comes back to the same pair counts as equal. */
type Seen = Map<object, object>;

/**
 * Deep equality: keys, symbols, prototypes, the contents of maps, sets and buffers.
 * `0` equals `-0`, `NaN` equals `NaN`, an absent key does not equal one that is `undefined`, and an
 * object without a prototype equals a plain one.
 *
 * @throws {TypeError} for WeakMap and WeakSet, because their contents cannot be read
 */
export function equal(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

function compare(a: unknown, b: unknown, seen: Seen): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || !samePrototype(a, b)) return false;
  const special = compareSpecial(a, b, seen);
  if (special !== undefined) return special;
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  if (
    (a instanceof Map && b instanceof Map) ||
    (a instanceof Set && b instanceof Set)
  ) {
    return compareEntries(Array.from<unknown>(a), Array.from<unknown>(b), seen);
  }
  return compareKeys(a, b, seen);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function samePrototype(a: object, b: object): boolean {
  const plain = (x: object) => Object.getPrototypeOf(x) ?? Object.prototype;
  return plain(a) === plain(b);
}

/** Compares objects with a value outside their keys; `undefined` for other objects. */
function compareSpecial(a: object, b: object, seen: Seen): boolean | undefined {
  if (a instanceof Date) return Object.is(a.getTime(), (b as Date).getTime());
  if (
    a instanceof RegExp || a instanceof URL || a instanceof URLSearchParams ||
    isTemporal(a)
  ) {
    return String(a) === String(b);
  }
  if (a instanceof ArrayBuffer) {
    return sameBytes(new Uint8Array(a), new Uint8Array(b as ArrayBuffer));
  }
  if (ArrayBuffer.isView(a) && !(a instanceof DataView)) {
    return sameBytes(a as Uint8Array, b as Uint8Array);
  }
  if (a instanceof WeakMap || a instanceof WeakSet) {
    throw new TypeError(`Cannot compare ${a.constructor.name} instances`);
  }
  if (a instanceof WeakRef) {
    return compare(a.deref(), (b as WeakRef<WeakKey>).deref(), seen);
  }
  return undefined;
}

function isTemporal(value: object): boolean {
  return Object.prototype.toString.call(value).startsWith("[object Temporal.");
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length &&
    a.every((item, i) => item === b[i] || Object.is(item, b[i]));
}

/** Sets and maps have no order that matters: each entry of `a` uses up one entry of `b`. */
function compareEntries(a: unknown[], b: unknown[], seen: Seen): boolean {
  if (a.length !== b.length) return false;
  return a.every((entry) => {
    const found = b.findIndex((other) => compare(entry, other, new Map(seen)));
    if (found >= 0) b.splice(found, 1);
    return found >= 0;
  });
}

function compareKeys(a: object, b: object, seen: Seen): boolean {
  const keys = valueKeys(a);
  if (keys.size !== valueKeys(b).size) return false;
  return [...keys].every((key) =>
    key in b && compare(Reflect.get(a, key), Reflect.get(b, key), seen)
  );
}

/**
 * What counts as an object's value: the enumerable keys of a plain object or array, and for an
 * instance of a class every key up its prototypes, because its state may show in getters only.
 */
function valueKeys(value: object): Set<PropertyKey> {
  const prototype = Object.getPrototypeOf(value);
  if (
    prototype === null || prototype === Object.prototype ||
    prototype === Array.prototype
  ) {
    return new Set(Reflect.ownKeys({ ...value }));
  }
  const keys = new Set<PropertyKey>();
  let level: object | null = value;
  while (level && level !== Object.prototype && level !== Array.prototype) {
    for (const key of Reflect.ownKeys(level)) keys.add(key);
    level = Object.getPrototypeOf(level);
  }
  return keys;
}
