/**
 * JSON with sorted keys (RFC 8785): equal values give equal text, whatever their order of keys. A field that
 * is `undefined` counts as absent. Recursive, so only for values of limited depth.
 */
export function canonicalJson(value: unknown): string {
  // Objects cannot have any order: those of JavaScript list "9" before "10", and both before "!".
  if (value === null || typeof value !== "object" || "toJSON" in value) {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(itemText).join(",")}]`;
  const fields = value as Record<string, unknown>;
  const texts = Object.keys(fields).sort().flatMap((key) => {
    const text = canonicalJson(fields[key]);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${texts.join(",")}}`;
}

function itemText(item: unknown): string {
  return canonicalJson(item) ?? "null";
}
