import { assertEquals } from "@std/assert";
import { AttemptWindow } from "./attempt_window.ts";

Deno.test("AttemptWindow counts each name apart and tells how long to wait", () => {
  const tries = new AttemptWindow({ limit: 2, windowMs: 1000 });
  assertEquals([tries.take("a", 0), tries.take("a", 400)], [0, 0]);
  assertEquals(tries.take("a", 500), 500);
  assertEquals(tries.take("b", 500), 0);
  assertEquals(tries.take("a", 1000), 0);
  assertEquals(tries.take("a", 1001), 399);
});

Deno.test("AttemptWindow refuses new names when full, until old ones lapse", () => {
  const tries = new AttemptWindow({ limit: 2, windowMs: 1000 });
  for (let n = 0; n < 10_000; n++) tries.take(`name ${n}`, 0);
  assertEquals(tries.take("one more", 500), 1000);
  assertEquals(tries.take("name 5", 500), 0);
  assertEquals(tries.take("one more", 1000), 0);
});
