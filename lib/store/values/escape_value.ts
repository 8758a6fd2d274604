/**
 * Values that MessagePack does not round-trip: text with an unpaired surrogate (UTF-8 has U+FFFD instead)
 * and a field named `__proto__` (its decoder rejects it). Both are legal in JSON, so clients may send them.
 */
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;
const PROTO = Array.from("__proto__", (letter) => letter.charCodeAt(0));
/** Prefix of each field name, so that none is `__proto__`. */
const NAME_PREFIX = "$";

/** True if encoded bytes decode to the same value; may be false for some that do. */
export function roundTrips(encoded: Uint8Array): boolean {
  return !includesBytes(encoded, REPLACEMENT) && !includesBytes(encoded, PROTO);
}

/** The value with its text and field names escaped as in JSON, which is lossless. */
export function escapeValue(value: unknown): unknown {
  if (typeof value === "string") return escape(value);
  return mapNested(value, { each: escapeValue, name: (name) => NAME_PREFIX + escape(name) });
}

/** The value that `escapeValue` escaped. */
export function unescapeValue(escaped: unknown): unknown {
  if (typeof escaped === "string") return unescape(escaped);
  return mapNested(escaped, {
    each: unescapeValue,
    name: (name) => unescape(name.slice(NAME_PREFIX.length)),
  });
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unescape(text: string): string {
  return JSON.parse(`"${text}"`);
}

function mapNested(
  value: unknown,
  to: { each: (inner: unknown) => unknown; name: (name: string) => string },
): unknown {
  if (Array.isArray(value)) return value.map(to.each);
  const isPlain = typeof value === "object" && value !== null && !(value instanceof Uint8Array) &&
    !(value instanceof Date);
  if (!isPlain) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(fields.map(([name, inner]) => [to.name(name), to.each(inner)]));
}

function includesBytes(bytes: Uint8Array, wanted: readonly number[]): boolean {
  let at = bytes.indexOf(wanted[0]!);
  while (at !== -1) {
    let same = 1;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++;
    if (same === wanted.length) return true;
    at = bytes.indexOf(wanted[0]!, at + 1);
  }
  return false;
}
