const encoder = new TextEncoder();

/** The order of Deno KV: bytes, text, numbers, big integers, booleans; each part after the one before. */
export function compareKeys(a: Deno.KvKey, b: Deno.KvKey): number {
  for (let n = 0; n < Math.min(a.length, b.length); n++) {
    const order = compareParts(a[n]!, b[n]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareParts(a: Deno.KvKeyPart, b: Deno.KvKeyPart): number {
  const kind = rankOf(a) - rankOf(b);
  if (kind !== 0) return kind;
  if (a instanceof Uint8Array) return compareBytes(a, b as Uint8Array);
  // Text is stored as UTF-8, whose order differs from that of JavaScript's strings.
  if (typeof a === "string") return compareBytes(encoder.encode(a), encoder.encode(b as string));
  return Number(a) - Number(b);
}

function rankOf(part: Deno.KvKeyPart): number {
  if (part instanceof Uint8Array) return 0;
  return ["string", "number", "bigint", "boolean"].indexOf(typeof part) + 1;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let n = 0; n < Math.min(a.length, b.length); n++) {
    if (a[n] !== b[n]) return a[n]! - b[n]!;
  }
  return a.length - b.length;
}
