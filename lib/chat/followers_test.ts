import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { Followers } from "./followers.ts";

function open(
  { abandonedAfterMs = 30_000, isFollowedElsewhere = () => false }: {
    abandonedAfterMs?: number;
    isFollowedElsewhere?: () => boolean;
  } = {},
) {
  const runtime = new FakeRuntime();
  const seen = { abandoned: 0 };
  const followers = new Followers({
    isFollowedElsewhere: () => Promise.resolve(isFollowedElsewhere()),
    runtime,
    abandonedAfterMs,
    onAbandoned: () => seen.abandoned++,
  });
  return { runtime, followers, seen };
}

Deno.test("Followers: a run is abandoned some time after the last follower left", async () => {
  const { runtime, followers, seen } = open();
  followers.enter();
  followers.leave();
  await runtime.advance(29_999);
  assertEquals(seen.abandoned, 0);
  await runtime.advance(1);
  assertEquals(seen.abandoned, 1);
});

Deno.test("Followers: one remaining follower is enough", async () => {
  const { runtime, followers, seen } = open();
  followers.enter();
  followers.enter();
  followers.leave();
  await runtime.advance(60_000);
  assertEquals(seen.abandoned, 0);
});

Deno.test("Followers: a returning follower restarts the wait", async () => {
  const { runtime, followers, seen } = open();
  followers.enter();
  followers.leave();
  await runtime.advance(20_000);
  followers.enter();
  followers.leave();
  await runtime.advance(29_999);
  assertEquals(seen.abandoned, 0);
  await runtime.advance(1);
  assertEquals(seen.abandoned, 1);
});

Deno.test("Followers: settle cancels the wait and its timer", async () => {
  const { runtime, followers, seen } = open();
  followers.enter();
  followers.leave();
  followers.settle();
  assertEquals(runtime.sleeping, 0);
  await runtime.advance(60_000);
  assertEquals(seen.abandoned, 0);
});

Deno.test("Followers: followers through other processes have time to be recorded again, however short the wait", async () => {
  let notes = 1;
  const isFollowedElsewhere = () => {
    const isNews = notes > 0;
    notes = 0;
    return isNews;
  };
  const { runtime, followers, seen } = open({ abandonedAfterMs: 1_000, isFollowedElsewhere });
  followers.enter();
  followers.leave();
  for (let n = 0; n < 6; n++) {
    await runtime.advance(5_000);
    notes++;
  }
  assertEquals(seen.abandoned, 0);
  notes = 0;
  await runtime.advance(10_000);
  assertEquals(seen.abandoned, 1);
});
