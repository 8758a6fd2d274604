import { Decoder, Encoder } from "@msgpack/msgpack";
import { escapeValue, roundTrips, unescapeValue } from "./escape_value.ts";

/**
 * The stored form of a value is the MessagePack array `[version, value]`: its first byte marks the format,
 * its second is the version. Version 2 is used only for values that MessagePack does not round-trip, see
 * `escapeValue`.
 */
const ARRAY_OF_TWO = 0x92;
const PLAIN_VERSION = 1;
const ESCAPED_VERSION = 2;
/** Request bodies are limited to 64 levels, and records add a few. */
const MAX_DEPTH = 200;

const encoder = new Encoder({
  ignoreUndefined: true,
  maxDepth: MAX_DEPTH,
  initialBufferSize: 8192,
});
/** Far above the 64 KiB of a value, so that a damaged length cannot allocate much memory. */
const MAX_LENGTH = 1_048_576;
const decoder = new Decoder({
  maxArrayLength: MAX_LENGTH,
  maxBinLength: MAX_LENGTH,
  maxExtLength: MAX_LENGTH,
  maxMapLength: MAX_LENGTH,
  maxStrLength: MAX_LENGTH,
});

/** Short values share a buffer, because allocating one for each costs more than encoding it. */
const SLAB_BYTES = 16_384;
const MAX_SLAB_VALUE_BYTES = 4_096;
let slab = new Uint8Array(SLAB_BYTES);
let used = 0;

/** The bytes are not a stored value, or have a version that this release cannot read. */
export class DecodeValueError extends Error {
  override name = "DecodeValueError";
}

/**
 * The stored form of a value made of plain objects, arrays, text, numbers, booleans, `null`, `Date` and
 * `Uint8Array`. Omits `undefined` fields; an `undefined` array item becomes `null`, and -0 becomes 0.
 * Throws what MessagePack throws for a function, a symbol or a bigint.
 */
export function encodeValue(value: unknown): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encodeSharedRef([PLAIN_VERSION, value]);
  if (roundTrips(bytes)) return copyToSlab(bytes);
  return copyToSlab(encoder.encodeSharedRef([ESCAPED_VERSION, escapeValue(value)]));
}

/** Size of a value's stored form, bytes. */
export function encodedSize(value: unknown): number {
  return encodeValue(value).length;
}

/** Decodes a stored value; byte arrays in it share the buffer of `bytes`. Throws `DecodeValueError`. */
export function decodeValue(bytes: Uint8Array): unknown {
  const [head, version] = bytes;
  if (head !== ARRAY_OF_TWO || (version !== PLAIN_VERSION && version !== ESCAPED_VERSION)) {
    throw unknownFormat(head, version);
  }
  try {
    const [, value] = decoder.decode(bytes) as unknown[];
    return version === PLAIN_VERSION ? value : unescapeValue(value);
  } catch (cause) {
    throw new DecodeValueError("it is damaged", { cause });
  }
}

function unknownFormat(head: number | undefined, version: number | undefined): DecodeValueError {
  if (head !== ARRAY_OF_TWO || version === undefined) {
    return new DecodeValueError("it is damaged, or was written by a newer release");
  }
  return new DecodeValueError(`its format ${version} was written by a newer release`);
}

/** A copy, because the encoder reuses its buffer. */
function copyToSlab(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length > MAX_SLAB_VALUE_BYTES) return new Uint8Array(bytes);
  if (used + bytes.length > SLAB_BYTES) {
    slab = new Uint8Array(SLAB_BYTES);
    used = 0;
  }
  slab.set(bytes, used);
  return slab.subarray(used, used += bytes.length);
}
