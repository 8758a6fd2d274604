import { assertEquals } from "@std/assert";
import { flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { hangingKv } from "@/tests/support/hanging_kv.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import type { Operation } from "./operation.ts";

/** Committers of two processes on one store, with a clock that the test advances. */
function twoProcesses(kv: Deno.Kv) {
  let now = 0;
  const runtime = { ...systemRuntime, now: () => now, sleep: () => new Promise<void>(() => {}) };
  const [here, there] = [flakyKv(kv, { random: seeded(1) }), flakyKv(kv, { random: seeded(2) })];
  const open = (of: typeof here) => ({
    committer: new GroupCommitter(of.kv, { runtime }),
    traffic: of.traffic,
  });
  return { here: open(here), there: open(there), advance: (ms: number) => void (now += ms) };
}

/** Increments each counter. */
function add(...names: string[]): Operation<void> {
  const keys = names.map((name) => name.split(" "));
  return {
    keys,
    decide(tx) {
      for (const key of keys) tx.set(key, (tx.get<number>(key) ?? 0) + 1);
    },
  };
}

Deno.test("GroupCommitter.onContended: names the key that another process changed, and no other", async () => {
  using kv = await Deno.openKv(":memory:");
  const { here, there } = twoProcesses(kv);
  const contended: Deno.KvKey[] = [];
  here.committer.onContended((key) => contended.push(key));
  await here.committer.run(add("shared a", "own b"));
  await there.committer.run(add("shared a"));
  await here.committer.run(add("shared a", "own b"));
  assertEquals(contended, [["shared", "a"]]);
  assertEquals((await kv.get(["shared", "a"])).value, 3);
  await here.committer.run(add("shared a"));
  assertEquals(contended.length, 1);
});

Deno.test("GroupCommitter: reads contended values again instead of failing a commit", async () => {
  using kv = await Deno.openKv(":memory:");
  const { here, there, advance } = twoProcesses(kv);
  const turn = async (name: string) => {
    for (const { committer } of [here, there]) {
      advance(100);
      await committer.run(add(`visitors ${name}`));
    }
  };
  for (let n = 0; n < 4; n++) await turn("first");
  const before = { ...here.traffic };
  for (let n = 0; n < 10; n++) await turn("first");
  const { reads, commits } = here.traffic;
  assertEquals([reads - before.reads, commits - before.commits], [10, 10]);
  assertEquals((await kv.get(["visitors", "first"])).value, 28);
});

Deno.test("GroupCommitter: a single process reads nothing twice", async () => {
  using kv = await Deno.openKv(":memory:");
  const { here, advance } = twoProcesses(kv);
  for (let n = 0; n < 10; n++) {
    advance(1_000);
    await here.committer.run(add("visitors first"));
  }
  assertEquals(here.traffic, { reads: 1, commits: 10 });
});

Deno.test("GroupCommitter: recently read values are trusted", async () => {
  using kv = await Deno.openKv(":memory:");
  const { here, there, advance } = twoProcesses(kv);
  for (let n = 0; n < 4; n++) {
    for (const { committer } of [here, there]) {
      advance(100);
      await committer.run(add("visitors first"));
    }
  }
  advance(100);
  await here.committer.run(add("visitors first"));
  const { reads } = here.traffic;
  advance(1);
  await here.committer.run(add("visitors first"));
  assertEquals(here.traffic.reads, reads);
});

Deno.test("GroupCommitter: operations that read again while the store hangs count as waiting", async () => {
  using kv = await Deno.openKv(":memory:");
  let now = 0;
  const runtime = { ...systemRuntime, now: () => now, sleep: () => new Promise<void>(() => {}) };
  const store = hangingKv(kv);
  const here = new GroupCommitter(store.kv, { runtime, maxQueue: 3 });
  const there = new GroupCommitter(kv, { runtime });
  for (let n = 0; n < 8; n++) {
    now += 100;
    await (n % 2 === 0 ? here : there).run(add("visitors first"));
  }
  now += 100;
  store.hang();
  const failed: string[] = [];
  for (let n = 0; n < 10; n++) {
    here.run(add("visitors first")).catch(({ message }) => failed.push(message));
  }
  await flushMicrotasks();
  assertEquals(failed, Array(7).fill("too many operations are waiting for the store"));
  store.goOn();
});
