/**
 * Reads the keys of a store's file: the tuple encoding of FoundationDB, which Deno KV uses. Each part
 * begins with a byte that names its type; text and bytes end with a zero, and a zero within them is
 * followed by 0xff.
 */
const BYTES = 0x01;
const TEXT = 0x02;
const DOUBLE = 0x21;
const FALSE = 0x26;
const TRUE = 0x27;
const ESCAPE = 0xff;

/** Decodes a key of the table `kv`. Throws for a type of part that the service does not write. */
export function decodeKey(encoded: Uint8Array): Deno.KvKey {
  const parts: Deno.KvKeyPart[] = [];
  for (let at = 0; at < encoded.length;) {
    const type = encoded[at]!;
    if (type === TEXT || type === BYTES) {
      const end = endOfText(encoded, at + 1);
      const bytes = unescape(encoded.subarray(at + 1, end));
      parts.push(
        type === TEXT ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : bytes,
      );
      at = end + 1;
    } else if (type === DOUBLE) {
      parts.push(decodeDouble(encoded.subarray(at + 1, at + 9)));
      at += 9;
    } else if (type === FALSE || type === TRUE) {
      parts.push(type === TRUE);
      at++;
    } else {
      throw new Error(`a key has a part of the unknown type 0x${type.toString(16)}`);
    }
  }
  return parts;
}

/** Encodes a key of texts. */
export function encodeTextKey(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const escaped = (byte: number) => byte === 0 ? [0, ESCAPE] : [byte];
  return new Uint8Array(
    parts.flatMap((part) => [TEXT, ...[...encoder.encode(part)].flatMap(escaped), 0]),
  );
}

/** The position of the zero that ends a text. */
function endOfText(encoded: Uint8Array, from: number): number {
  for (let at = from; at < encoded.length; at++) {
    if (encoded[at] !== 0) continue;
    if (encoded[at + 1] !== ESCAPE) return at;
    at++;
  }
  throw new Error("a key ends within a text");
}

function unescape(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.filter((byte, n) => !(byte === ESCAPE && bytes[n - 1] === 0)));
}

/** In the file, doubles order as bytes: positive ones have their sign flipped, negative ones all bits. */
function decodeDouble(bytes: Uint8Array): number {
  const copy = new Uint8Array(bytes);
  if (copy[0]! & 0x80) copy[0]! ^= 0x80;
  else copy.forEach((byte, n) => copy[n] = ~byte);
  return new DataView(copy.buffer).getFloat64(0);
}
