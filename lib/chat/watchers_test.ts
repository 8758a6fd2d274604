import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { Watchers } from "./watchers.ts";

function open(
  { unwatchedMs = 30_000, isWatchedElsewhere = () => false }: {
    unwatchedMs?: number;
    isWatchedElsewhere?: () => boolean;
  } = {},
) {
  const runtime = new FakeRuntime();
  const seen = { abandoned: 0 };
  const watchers = new Watchers({
    isWatchedElsewhere: () => Promise.resolve(isWatchedElsewhere()),
    runtime,
    unwatchedMs,
    onAbandoned: () => seen.abandoned++,
  });
  return { runtime, watchers, seen };
}

Deno.test("Watchers: a run is abandoned some time after the last follower left", async () => {
  const { runtime, watchers, seen } = open();
  watchers.enter();
  watchers.leave();
  await runtime.advance(29_999);
  assertEquals(seen.abandoned, 0);
  await runtime.advance(1);
  assertEquals(seen.abandoned, 1);
});

Deno.test("Watchers: one remaining follower is enough", async () => {
  const { runtime, watchers, seen } = open();
  watchers.enter();
  watchers.enter();
  watchers.leave();
  await runtime.advance(60_000);
  assertEquals(seen.abandoned, 0);
});

Deno.test("Watchers: a returning follower restarts the wait", async () => {
  const { runtime, watchers, seen } = open();
  watchers.enter();
  watchers.leave();
  await runtime.advance(20_000);
  watchers.enter();
  watchers.leave();
  await runtime.advance(29_999);
  assertEquals(seen.abandoned, 0);
  await runtime.advance(1);
  assertEquals(seen.abandoned, 1);
});

Deno.test("Watchers: settle cancels the wait and its timer", async () => {
  const { runtime, watchers, seen } = open();
  watchers.enter();
  watchers.leave();
  watchers.settle();
  assertEquals(runtime.sleeping, 0);
  await runtime.advance(60_000);
  assertEquals(seen.abandoned, 0);
});

Deno.test("Watchers: followers through other processes have time to be recorded again, however short the wait", async () => {
  let notes = 1;
  const isWatchedElsewhere = () => {
    const isNews = notes > 0;
    notes = 0;
    return isNews;
  };
  const { runtime, watchers, seen } = open({ unwatchedMs: 1_000, isWatchedElsewhere });
  watchers.enter();
  watchers.leave();
  for (let n = 0; n < 6; n++) {
    await runtime.advance(5_000);
    notes++;
  }
  assertEquals(seen.abandoned, 0);
  notes = 0;
  await runtime.advance(10_000);
  assertEquals(seen.abandoned, 1);
});
