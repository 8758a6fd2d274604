import { assertEquals } from "@std/assert";
import { FakeSystem } from "@/tests/support/fake_system.ts";
import { Watchers } from "./watchers.ts";

function open() {
  const system = new FakeSystem();
  const seen = { abandoned: 0 };
  const watchers = new Watchers({
    isWatchedElsewhere: () => Promise.resolve(false),
    system,
    unwatchedMs: 30_000,
    onAbandoned: () => seen.abandoned++,
  });
  return { system, watchers, seen };
}

Deno.test("Watchers: a run is abandoned once the last has been gone for long enough", async () => {
  const { system, watchers, seen } = open();
  watchers.enter();
  watchers.leave();
  await system.advance(29_999);
  assertEquals(seen.abandoned, 0);
  await system.advance(1);
  assertEquals(seen.abandoned, 1);
});

Deno.test("Watchers: one who stays is enough", async () => {
  const { system, watchers, seen } = open();
  watchers.enter();
  watchers.enter();
  watchers.leave();
  await system.advance(60_000);
  assertEquals(seen.abandoned, 0);
});

Deno.test("Watchers: who comes back in time starts the wait anew", async () => {
  const { system, watchers, seen } = open();
  watchers.enter();
  watchers.leave();
  await system.advance(20_000);
  watchers.enter();
  watchers.leave();
  await system.advance(29_999);
  assertEquals(seen.abandoned, 0);
  await system.advance(1);
  assertEquals(seen.abandoned, 1);
});

Deno.test("Watchers: settling ends the wait and its timer", async () => {
  const { system, watchers, seen } = open();
  watchers.enter();
  watchers.leave();
  watchers.settle();
  assertEquals(system.sleeping, 0);
  await system.advance(60_000);
  assertEquals(seen.abandoned, 0);
});
