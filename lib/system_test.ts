import { assert, assertEquals } from "@std/assert";
import { FakeSystem } from "@/tests/support/fake_system.ts";
import { elapsed, realSystem } from "./system.ts";

Deno.test("elapsed: setting the clock does not move it, and a test's world has its own", async () => {
  const { now } = Date;
  const before = elapsed(realSystem);
  try {
    Date.now = () => now() + 3_600_000;
    assert(elapsed(realSystem) - before < 3_600_000);
    Date.now = () => now() - 3_600_000;
    assert(elapsed(realSystem) >= before);
  } finally {
    Date.now = now;
  }
  const fake = new FakeSystem();
  const began = elapsed(fake);
  await fake.advance(5);
  assertEquals(elapsed({ ...realSystem, now: fake.now }) - began, 5);
});
