import { assertEquals } from "@std/assert";
import { SlidingWindowLimiter } from "./sliding_window_limiter.ts";

Deno.test("SlidingWindowLimiter counts each name separately and returns the wait", () => {
  const attempts = new SlidingWindowLimiter({ limit: 2, windowMs: 1000 });
  assertEquals([attempts.take("a", 0), attempts.take("a", 400)], [0, 0]);
  assertEquals(attempts.take("a", 500), 500);
  assertEquals(attempts.take("b", 500), 0);
  assertEquals(attempts.take("a", 1000), 0);
  assertEquals(attempts.take("a", 1001), 399);
});

Deno.test("SlidingWindowLimiter.refund allows one more attempt, once", () => {
  const attempts = new SlidingWindowLimiter({ limit: 2, windowMs: 1000 });
  for (const at of [0, 400]) attempts.take("a", at);
  attempts.refund("a", 400);
  attempts.refund("a", 400);
  attempts.refund("unknown", 0);
  assertEquals([attempts.take("a", 500), attempts.take("a", 500)], [0, 500]);
});

Deno.test("SlidingWindowLimiter: with too many names, new ones are accepted and recent ones remembered", () => {
  const attempts = new SlidingWindowLimiter({ limit: 1, windowMs: 1000 });
  for (let n = 0; n < 10_001; n++) assertEquals(attempts.take(`name ${n}`, 0), 0);
  assertEquals(attempts.take("name 10000", 1), 999);
  assertEquals(attempts.take("name 0", 1), 0);
});
