import { assertEquals, assertRejects } from "@std/assert";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import { StoreFailedError, StoreUnavailableError } from "./operation.ts";
import type { ReadTransaction } from "./read_transaction.ts";

const runtime = systemRuntime;
const RULE = ["rules", "a"];
const USE = ["uses", "a"];

/** Notes a use while the rule says `open`; what is refused is told as an error. */
function use(committer: GroupCommitter) {
  return committer.transact(async (view: ReadTransaction) => {
    await view.preload(() => [RULE, USE]);
    if ((await view.get<string>(RULE)).value !== "open") throw new Error("closed");
    return await committer.run({
      keys: [USE],
      decide(draft) {
        const uses = (draft.get<number>(USE) ?? 0) + 1;
        draft.set(USE, uses);
        return uses;
      },
    }, view);
  });
}

Deno.test("Committer.work: cold is one read and one commit, warm is one commit", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  assertEquals(await use(committer), 1);
  assertEquals(traffic, { reads: 1, commits: 1 });
  assertEquals(await use(committer), 2);
  assertEquals(traffic, { reads: 1, commits: 2 });
});

Deno.test("Committer.work: what was changed elsewhere is refused by the very next use", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const committer = new GroupCommitter(kv, { runtime });
  await use(committer);
  await kv.set(RULE, "closed");
  await assertRejects(() => use(committer), Error, "closed");
  assertEquals((await kv.get(USE)).value, 1);
});

Deno.test("Committer.work: a refusal on an old copy is looked at once more", async () => {
  using kv = await Deno.openKv(":memory:");
  const committer = new GroupCommitter(kv, { runtime });
  await assertRejects(() => use(committer), Error, "closed");
  await kv.set(RULE, "open");
  assertEquals(await use(committer), 1);
});

Deno.test("Committer.work: a change between reading and committing is never overlooked", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const committer = new GroupCommitter(kv, { runtime });
  let closed = false;
  const refused = committer.transact(async (view) => {
    if ((await view.get<string>(RULE)).value !== "open") throw new Error("closed");
    if (!closed) await kv.set(RULE, "closed");
    closed = true;
    return await committer.run({ keys: [USE], decide: (draft) => draft.set(USE, 1) }, view);
  });
  await assertRejects(() => refused, Error, "closed");
  assertEquals((await kv.get(USE)).value, null);
});

Deno.test("Committer.work: what an operation decides on itself may change beside it, so many go out together", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  await kv.set(USE, 0);
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  const useUpTo = (limit: number) =>
    committer.transact(async (view) => {
      await view.preload(() => [RULE, USE]);
      if ((await view.get<string>(RULE)).value !== "open") throw new Error("closed");
      if ((await view.get<number>(USE)).value! >= limit) throw new Error("used up");
      return await committer.run({
        keys: [USE],
        decide(draft) {
          const uses = draft.get<number>(USE)! + 1;
          if (uses > limit) throw new Error("used up");
          draft.set(USE, uses);
        },
      }, view);
    });
  const all = await Promise.allSettled(Array.from({ length: 200 }, () => useUpTo(50)));
  assertEquals(all.filter(({ status }) => status === "fulfilled").length, 50);
  assertEquals([(await kv.get(USE)).value, traffic.commits], [50, 1]);
});

Deno.test("Committer.work: an error that is final is not looked at again", async () => {
  using kv = await Deno.openKv(":memory:");
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  const refuse = () => Promise.reject(new RangeError("full"));
  const isFinal = (error: unknown) => error instanceof RangeError;
  await assertRejects(() => committer.transact(refuse, { isFinal }), RangeError);
  assertEquals(traffic.reads, 0);
});

Deno.test("Committer.work: one failed call of the store is made good by asking again, a silent store is not", async () => {
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

Deno.test("Committer.work: gives up on what never stands still", async () => {
  using kv = await Deno.openKv(":memory:");
  const committer = new GroupCommitter(kv, { runtime });
  let n = 0;
  const restless = committer.transact(async (view) => {
    await view.get(RULE);
    await kv.set(RULE, n++);
    return await committer.run({ keys: [USE], decide: (draft) => draft.set(USE, 1) }, view);
  });
  await assertRejects(() => restless, StoreUnavailableError);
});

Deno.test("Committer.run: a note is written with the rest, unread and unchecked", async () => {
  using kv = await Deno.openKv(":memory:");
  const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
  const committer = new GroupCommitter(watched, { runtime });
  await kv.set(["notes", "old"], "x");
  await committer.run({
    keys: [USE],
    decide(draft) {
      draft.set(USE, 1);
      draft.blindWrite(["notes", "new"], "y");
      draft.blindWrite(["notes", "old"], undefined);
    },
  });
  assertEquals(traffic, { reads: 1, commits: 1 });
  const notes = await Array.fromAsync(kv.list({ prefix: ["notes"] }));
  assertEquals(notes.map(({ key }) => key[1]), ["new"]);
});

Deno.test("Committer.work: many who ask at different moments of the same read all get their answer", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(RULE, "open");
  const bad = { random: seeded(3), turns: 12, locked: 0.1 };
  const committer = new GroupCommitter(flakyKv(kv, bad).kv, { runtime });
  const asked: Promise<number>[] = [];
  for (let n = 0; n < 40; n++) {
    asked.push(use(committer));
    for (let turn = 0; turn < n % 7; turn++) await Promise.resolve();
    // Another process changes the rule's version now and then.
    if (n % 10 === 9) await kv.set(RULE, "open");
  }
  assertEquals(new Set(await Promise.all(asked)).size, 40);
});
