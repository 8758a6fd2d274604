import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { assert, assertFalse, assertThrows } from "@std/assert";

Deno.test("timingSafeEqual: the bytes decide, not the kind of view", () => {
  const bytes = new Uint8Array([9, 1, 2, 3, 4, 9]);
  const window = new DataView(bytes.buffer, 1, 4);
  assert(timingSafeEqual(window, new Uint8Array([1, 2, 3, 4])));
  assert(timingSafeEqual(new Uint8Array([1, 2, 3, 4]).buffer, window));
  assert(timingSafeEqual(new Uint16Array([513]), new Uint8Array([1, 2])));
  assertFalse(timingSafeEqual(window, new Uint8Array([1, 2, 3, 5])));
  assert(timingSafeEqual(new Uint8Array(), new Uint8Array()));
});

Deno.test("timingSafeEqual: different lengths throw, also when one is empty", () => {
  assertThrows(
    () => timingSafeEqual(new Uint8Array(2), new Uint8Array(3)),
    TypeError,
    "2 vs 3",
  );
  assertThrows(
    () => timingSafeEqual(new Uint8Array(), new Uint8Array(1)),
    TypeError,
  );
});
