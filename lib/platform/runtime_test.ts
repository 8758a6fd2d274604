import { assert, assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { monotonicNow, systemRuntime } from "./runtime.ts";

Deno.test("monotonicNow: ignores changes of the system clock and uses an injected clock", async () => {
  const { now } = Date;
  const before = monotonicNow(systemRuntime);
  try {
    Date.now = () => now() + 3_600_000;
    assert(monotonicNow(systemRuntime) - before < 3_600_000);
    Date.now = () => now() - 3_600_000;
    assert(monotonicNow(systemRuntime) >= before);
  } finally {
    Date.now = now;
  }
  const fake = new FakeRuntime();
  const began = monotonicNow(fake);
  await fake.advance(5);
  assertEquals(monotonicNow({ ...systemRuntime, now: fake.now }) - began, 5);
});
