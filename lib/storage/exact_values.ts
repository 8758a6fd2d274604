/**
 * What MessagePack cannot give back as it was: text with a half of a surrogate pair (what is written as
 * UTF-8 has U+FFFD instead), and a field called `__proto__` (which its reader refuses). Both are legal in
 * JSON, and so in what others send us.
 */
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;
const PROTO = Array.from("__proto__", (letter) => letter.charCodeAt(0));
/** Before the name of each field, so that none is `__proto__`. */
const MARK = "$";

/** Whether encoded bytes give the value back that they were made of; rarely false where they would. */
export function isExactAsIs(encoded: Uint8Array): boolean {
  return !holds(encoded, REPLACEMENT) && !holds(encoded, PROTO);
}

/** The value with its text and names of fields escaped as in JSON, in which nothing is lost. */
export function toPlain(value: unknown): unknown {
  if (typeof value === "string") return escape(value);
  return mapInside(value, { each: toPlain, name: (name) => MARK + escape(name) });
}

/** The value that `toPlain` escaped. */
export function toExact(plain: unknown): unknown {
  if (typeof plain === "string") return unescape(plain);
  return mapInside(plain, { each: toExact, name: (name) => unescape(name.slice(MARK.length)) });
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unescape(text: string): string {
  return JSON.parse(`"${text}"`);
}

function mapInside(
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

function holds(bytes: Uint8Array, wanted: readonly number[]): boolean {
  let at = bytes.indexOf(wanted[0]!);
  while (at !== -1) {
    let same = 1;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++;
    if (same === wanted.length) return true;
    at = bytes.indexOf(wanted[0]!, at + 1);
  }
  return false;
}
