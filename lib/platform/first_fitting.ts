/**
 * The first of some versions of a value, each shorter than the one before, whose JSON has at most
 * `maxBytes` of UTF-8; the last one if none has. A character takes one to six bytes, so a limit of
 * characters is no limit of bytes.
 */
export function firstFitting<T>(versions: readonly [T, ...T[]], maxBytes: number): T {
  const encoder = new TextEncoder();
  const fits = (one: T) => encoder.encode(JSON.stringify(one)).length <= maxBytes;
  return versions.find(fits) ?? versions.at(-1)!;
}
