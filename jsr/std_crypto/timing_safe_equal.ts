/**
 * Stand-in for `@std/crypto/timing-safe-equal`. See ../README.md.
 *
 * @module
 */
import { timingSafeEqual as nodeTimingSafeEqual } from "node:crypto";

/**
 * Compares bytes in a time that depends on their number only. Different lengths are the caller's
 * mistake and throw: compare digests, which always have one length, not secrets as they arrive.
 *
 * @throws {TypeError} when the byte lengths differ
 */
export function timingSafeEqual(
  a: ArrayBufferView | ArrayBufferLike,
  b: ArrayBufferView | ArrayBufferLike,
): boolean {
  if (a.byteLength !== b.byteLength) {
    throw new TypeError(
      `Cannot compare buffers of different byte lengths (${a.byteLength} vs ${b.byteLength})`,
    );
  }
  return nodeTimingSafeEqual(toBytes(a), toBytes(b));
}

function toBytes(value: ArrayBufferView | ArrayBufferLike): Uint8Array {
  if (!ArrayBuffer.isView(value)) return new Uint8Array(value);
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
