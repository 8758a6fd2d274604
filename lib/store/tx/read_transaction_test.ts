import { assertEquals, assertRejects } from "@std/assert";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import { StoreFailedError, StoreUnavailableError } from "./operation.ts";
import type { ReadTransaction } from "./read_transaction.ts";

const runtime = systemRuntime;
const RULE = ["rules", "a"];
const USE = ["uses", "a"];

/** Records a use while the rule is `open`; a rejection is an error. */
function use(committer: GroupCommitter) {
  return committer.transact(async (reads: ReadTransaction) => {
    await reads.preload(() => [RULE, USE]);
    if ((await reads.get<string>(RULE)).value !== "open") throw new Error("closed");
    return await committer.run({
      keys: [USE],
      decide(tx) {
        const uses = (tx.get<number>(USE) ?? 0) + 1;
        tx.set(USE, uses);
        return uses;
      },
    }, reads);
  });
}

Deno.test("GroupCommitter.transact: uncached takes one read and one commit, cached one commit", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  assertEquals(await use(committer), 1);
  assertEquals(traffic, { reads: 1, commits: 1 });
  assertEquals(await use(committer), 2);
  assertEquals(traffic, { reads: 1, commits: 2 });
});

Deno.test("GroupCommitter.transact: a change by another process is seen by the next use", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const committer = new GroupCommitter(kv, { runtime });
  await use(committer);
  await kv.set(RULE, "closed");
  await assertRejects(() => use(committer), Error, "closed");
  assertEquals((await kv.get(USE)).value, 1);
});

Deno.test("GroupCommitter.transact: a rejection on an outdated value is decided again", async () => {
  using kv = await Deno.openKv(":memory:");
  const committer = new GroupCommitter(kv, { runtime });
  await assertRejects(() => use(committer), Error, "closed");
  await kv.set(RULE, "open");
  assertEquals(await use(committer), 1);
});

Deno.test("GroupCommitter.transact: a change between reading and committing is a conflict", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const committer = new GroupCommitter(kv, { runtime });
  let closed = false;
  const conflicting = committer.transact(async (reads) => {
    if ((await reads.get<string>(RULE)).value !== "open") throw new Error("closed");
    if (!closed) await kv.set(RULE, "closed");
    closed = true;
    return await committer.run({ keys: [USE], decide: (tx) => tx.set(USE, 1) }, reads);
  });
  await assertRejects(() => conflicting, Error, "closed");
  assertEquals((await kv.get(USE)).value, null);
});

Deno.test("GroupCommitter.transact: operations on the same own key are committed together", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  await kv.set(USE, 0);
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  const useUpTo = (limit: number) =>
    committer.transact(async (reads) => {
      await reads.preload(() => [RULE, USE]);
      if ((await reads.get<string>(RULE)).value !== "open") throw new Error("closed");
      if ((await reads.get<number>(USE)).value! >= limit) throw new Error("used up");
      return await committer.run({
        keys: [USE],
        decide(tx) {
          const uses = tx.get<number>(USE)! + 1;
          if (uses > limit) throw new Error("used up");
          tx.set(USE, uses);
        },
      }, reads);
    });
  const all = await Promise.allSettled(Array.from({ length: 200 }, () => useUpTo(50)));
  assertEquals(all.filter(({ status }) => status === "fulfilled").length, 50);
  assertEquals([(await kv.get(USE)).value, traffic.commits], [50, 1]);
});

Deno.test("GroupCommitter.transact: a final error is not retried", async () => {
  using kv = await Deno.openKv(":memory:");
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  const refuse = () => Promise.reject(new RangeError("full"));
  const isFinal = (error: unknown) => error instanceof RangeError;
  await assertRejects(() => committer.transact(refuse, { isFinal }), RangeError);
  assertEquals(traffic.reads, 0);
});

Deno.test("GroupCommitter.transact: one failed call is retried, an unresponsive store is not", async () => {
  using kv = await Deno.openKv(":memory:");
  const committer = new GroupCommitter(kv, { runtime });
  const after = (fault: Error) => {
    const faults = [fault];
    return committer.transact(() => {
      const next = faults.shift();
      return next === undefined ? Promise.resolve("done") : Promise.reject(next);
    });
  };
  assertEquals(await after(new StoreFailedError("database is locked")), "done");
  await assertRejects(() => after(new StoreUnavailableError("late")), Error, "late");
});

Deno.test("GroupCommitter.transact: gives up after repeated conflicts", async () => {
  using kv = await Deno.openKv(":memory:");
  const committer = new GroupCommitter(kv, { runtime });
  let n = 0;
  const restless = committer.transact(async (reads) => {
    await reads.get(RULE);
    await kv.set(RULE, n++);
    return await committer.run({ keys: [USE], decide: (tx) => tx.set(USE, 1) }, reads);
  });
  await assertRejects(() => restless, StoreUnavailableError);
});

Deno.test("GroupCommitter.run: a blind write is committed with the rest, unread and unchecked", async () => {
  using kv = await Deno.openKv(":memory:");
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  await kv.set(["notes", "old"], "x");
  await committer.run({
    keys: [USE],
    decide(tx) {
      tx.set(USE, 1);
      tx.blindWrite(["notes", "new"], "y");
      tx.blindWrite(["notes", "old"], undefined);
    },
  });
  assertEquals(traffic, { reads: 1, commits: 1 });
  const notes = await Array.fromAsync(kv.list({ prefix: ["notes"] }));
  assertEquals(notes.map(({ key }) => key[1]), ["new"]);
});

Deno.test("GroupCommitter.transact: concurrent callers that share a read all complete", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const bad = { random: seeded(3), turns: 12, locked: 0.1 };
  const committer = new GroupCommitter(flakyKv(kv, bad).kv, { runtime });
  const uses: Promise<number>[] = [];
  for (let n = 0; n < 40; n++) {
    uses.push(use(committer));
    for (let turn = 0; turn < n % 7; turn++) await Promise.resolve();
    // Another process occasionally changes the rule's version.
    if (n % 10 === 9) await kv.set(RULE, "open");
  }
  assertEquals(new Set(await Promise.all(uses)).size, 40);
});
