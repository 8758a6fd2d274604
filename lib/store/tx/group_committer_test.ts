import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { flakyKv, seeded } from "../../../tests/support/flaky_kv.ts";
import { hangingKv } from "../../../tests/support/hanging_kv.ts";
import { type Runtime, systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import { type Operation, StoreUnavailableError, type Transaction } from "./operation.ts";

/** The clock stands still; retries do not wait, and timeouts never fire. */
const runtime: Runtime = {
  ...systemRuntime,
  now: () => 0,
  sleep: (ms, signal) => ms < 1000 ? Promise.resolve() : untilAborted(signal),
};

function untilAborted(signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

interface Counter {
  total: number;
  /** The ids that were counted, which make an addition idempotent. */
  by: string[];
}

/** Counts `id` under `key`, up to `cap`. */
function count(key: string, id: string, cap = Infinity): Operation<"counted" | "full"> {
  const at = ["counters", key];
  return {
    keys: [at],
    decide(tx) {
      const counter = tx.get<Counter>(at) ?? { total: 0, by: [] };
      if (counter.by.includes(id)) return "counted";
      if (counter.total >= cap) return "full";
      tx.set(at, { total: counter.total + 1, by: [...counter.by, id] });
      return "counted";
    },
  };
}

async function stored(kv: Deno.Kv, key: string): Promise<Counter> {
  return (await kv.get<Counter>(["counters", key])).value ?? { total: 0, by: [] };
}

describe("GroupCommitter", () => {
  it("resolves after the commit, and commits concurrent callers together", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const committer = new GroupCommitter(watched, { runtime });
    const ids = Array.from({ length: 200 }, (_, i) => `run-${i}`);
    await Promise.all(ids.map((id) => committer.run(count("hot", id))));
    assertEquals((await stored(kv, "hot")).total, 200);
    assertEquals(traffic.reads, 1);
    assert(traffic.commits <= 3, `${traffic.commits} commits`);
  });

  it("reads nothing that is cached, and writes nothing for a rejection", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const committer = new GroupCommitter(watched, { runtime });
    await committer.run(count("a", "first", 1));
    const cold = { ...traffic };
    assertEquals(await committer.run({ ...count("a", "second", 1), isFinal: () => true }), "full");
    assertEquals(traffic, cold);
  });

  it("caches values in use, and no deleted ones", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const committer = new GroupCommitter(watched, { runtime, maxCachedEntries: 2 });
    await committer.run(count("used", "first"));
    for (const n of [1, 2, 3]) {
      const at = ["counters", `gone-${n}`];
      await committer.run(count(`gone-${n}`, "only"));
      await committer.run({ keys: [at], decide: (tx) => tx.delete(at) });
    }
    const before = traffic.reads;
    await committer.run(count("used", "second"));
    assertEquals(traffic.reads, before);
    await committer.run(count("gone-1", "again"));
    assertEquals((await stored(kv, "gone-1")).by, ["again"]);
  });

  it("reads again before it returns a rejection that may be outdated", async () => {
    using kv = await Deno.openKv(":memory:");
    const here = new GroupCommitter(kv, { runtime });
    const there = new GroupCommitter(kv, { runtime });
    await here.run(count("a", "first", 1));
    const at = ["counters", "a"];
    await there.run({ keys: [at], decide: (tx) => tx.delete(at) });
    assertEquals(await here.run(count("a", "second", 1)), "counted");
  });

  it("decides in order", async () => {
    using kv = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(kv, { runtime });
    await Promise.all(["a", "b", "c", "d"].map((id) => committer.run(count("order", id))));
    assertEquals((await stored(kv, "order")).by, ["a", "b", "c", "d"]);
  });

  it("an operation that throws affects no others", async () => {
    using kv = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(kv, { runtime });
    const bad: Operation<never> = {
      keys: [["counters", "mixed"]],
      decide(tx) {
        tx.set(["counters", "mixed"], { total: 99, by: [] });
        throw new Error("changed my mind");
      },
    };
    const [, failed] = await Promise.allSettled([
      committer.run(count("mixed", "a")),
      committer.run(bad),
      committer.run(count("mixed", "b")),
    ]);
    assertEquals(failed?.status, "rejected");
    assertEquals((await stored(kv, "mixed")).by, ["a", "b"]);
  });

  it("mutates a value within a batch, but never one that others hold", async () => {
    using kv = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(kv, { runtime });
    const list = ["list"];
    const copies: string[] = [];
    const append = (id: string, fails = false): Operation<readonly string[]> => ({
      keys: [list],
      decide(tx) {
        tx.update<string[]>(list, (held = [], isOwn) => {
          const own = isOwn ? held : [...held];
          if (!isOwn) copies.push(id);
          own.push(id);
          return own;
        });
        if (fails) throw new Error("no");
        return [...tx.get<string[]>(list) ?? []];
      },
    });
    const operations = [append("a"), append("b", true), append("c")];
    const results = await Promise.allSettled(operations.map((one) => committer.run(one)));
    assertEquals(results.map((one) => one.status === "fulfilled" && one.value), [[], false, ["a"]]);
    assertEquals(copies, ["a"]);
    const known = committer.getCached<string[]>(list);
    assertEquals(known, ["a", "c"]);
    // After a conflict the discarded changes are gone.
    await kv.set(list, ["x"]);
    assertEquals(await committer.run(append("d")), ["x"]);
    assertEquals((await kv.get(list)).value, ["x", "d"]);
    assertEquals(known, ["a", "c"]);
  });

  it("rejects an operation that updates a key and also sets or deletes it", async () => {
    using kv = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(kv, { runtime });
    const key = ["a"];
    const update = (tx: Transaction) => tx.update<number>(key, (held = 0) => held + 1);
    for (
      const other of [
        (tx: Transaction) => tx.set(key, 1),
        (tx: Transaction) => tx.delete(key),
        update,
      ]
    ) {
      for (const steps of [[update, other], [other, update]]) {
        const decide = (tx: Transaction) => steps.forEach((step) => step(tx));
        await assertRejects(() => committer.run({ keys: [key], decide }), Error, "also sets");
      }
    }
    assertEquals((await kv.get(key)).value, null);
  });

  it("rejects an operation on a key that it does not list", async () => {
    using kv = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(kv, { runtime });
    const sly: Operation<void> = { keys: [["a"]], decide: (tx) => tx.set(["b"], 1) };
    await assertRejects(() => committer.run(sly), Error, "does not list");
  });

  it("rejects operations when its queue is full", async () => {
    using kv = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(kv, { runtime, maxQueue: 10 });
    const all = Array.from({ length: 30 }, (_, i) => committer.run(count("q", `${i}`)));
    const settled = await Promise.allSettled(all);
    const rejected = settled.filter((one) => one.status === "rejected");
    assertEquals(rejected.length, 20);
    assert(rejected.every((one) => one.reason instanceof StoreUnavailableError));
    assertEquals((await stored(kv, "q")).total, 10);
  });

  it("rejects values that are too large without blocking others", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const committer = new GroupCommitter(watched, { runtime });
    const huge: Operation<void> = {
      keys: [["huge"]],
      decide: (tx) => tx.set(["huge"], "x".repeat(70_000)),
    };
    const ids = Array.from({ length: 20 }, (_, i) => `run-${i}`);
    const [results] = await Promise.all([
      assertRejects(() => committer.run(huge), TypeError, "too large"),
      ...ids.map((id) => committer.run(count(id, id))),
    ]);
    assert(!(results instanceof StoreUnavailableError));
    assert(traffic.commits < 20, `${traffic.commits} commits`);
  });

  it("splits a batch that is too large together", async () => {
    using kv = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(kv, { runtime });
    const large = (n: number): Operation<void> => ({
      keys: [["large", n]],
      decide: (tx) => tx.set(["large", n], "x".repeat(50_000)),
    });
    await Promise.all(Array.from({ length: 60 }, (_, n) => committer.run(large(n))));
    assertEquals((await Array.fromAsync(kv.list({ prefix: ["large"] }))).length, 60);
  });

  it("commits nothing for operations that timed out, however late their read completes", async () => {
    using kv = await Deno.openKv(":memory:");
    let now = 0;
    const hung = Promise.withResolvers<void>();
    let reads = 0;
    const slow = new Proxy(kv, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "getMany") return typeof value === "function" ? value.bind(target) : value;
        // The first read fails at once; its retry hangs.
        return (wanted: Deno.KvKey[]) =>
          reads++ === 0
            ? Promise.reject(new Error("locked"))
            : hung.promise.then(() => kv.getMany(wanted));
      },
    });
    const clock: Runtime = {
      ...systemRuntime,
      now: () => now,
      sleep: (ms, signal) => reads < 2 ? untilAborted(signal) : Promise.resolve(void (now += ms)),
    };
    const committer = new GroupCommitter(slow, { runtime: clock });
    await assertRejects(() => committer.run(count("a", "late")), StoreUnavailableError);
    hung.resolve();
    for (let turn = 0; turn < 5; turn++) await kv.get(["counters", "a"]);
    assertEquals(await stored(kv, "a"), { total: 0, by: [] });
  });

  it("does not time out because the process stood still", async () => {
    using kv = await Deno.openKv(":memory:");
    const store = hangingKv(kv);
    let now = 0;
    const committer = new GroupCommitter(store.kv, { runtime: { ...runtime, now: () => now } });
    store.hang();
    const operations = ["a", "b"].map((id) => committer.run(count("a", id)));
    await store.hung(0);
    now = 60_000;
    store.goOn();
    assertEquals(await Promise.all(operations), ["counted", "counted"]);
  });

  it("times out on a store that hangs", async () => {
    let now = 0;
    const hanging = { getMany: () => new Promise(() => {}) } as unknown as Deno.Kv;
    const clock: Runtime = {
      ...systemRuntime,
      now: () => now,
      sleep: (ms) => Promise.resolve(void (now += ms)),
    };
    const committer = new GroupCommitter(hanging, { runtime: clock });
    await assertRejects(() => committer.run(count("a", "b")), StoreUnavailableError);
  });
});

describe("GroupCommitter, several on one store over an unreliable connection", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    it(`admits exactly the cap and counts each caller once (seed ${seed})`, async () => {
      using kv = await Deno.openKv(":memory:");
      const random = seeded(seed);
      const bad = { random, ambiguous: 0.2, locked: 0.2, turns: 8 };
      const three = [0, 1, 2].map(() => new GroupCommitter(flakyKv(kv, bad).kv, { runtime }));
      const operations = Array.from(
        { length: 150 },
        (_, i) => ({ id: `run-${i}`, at: three[i % 3]! }),
      );
      const results = await Promise.all(
        operations.map(({ id, at }) => at.run(count("cap", id, 50))),
      );
      const counter = await stored(kv, "cap");
      assertEquals(counter.total, 50);
      assertEquals(new Set(counter.by).size, 50);
      const admitted = operations.filter((_, i) => results[i] === "counted").map(({ id }) => id);
      assertEquals(new Set(admitted), new Set(counter.by));
    });

    it(`keeps sums across keys consistent (seed ${seed})`, async () => {
      using kv = await Deno.openKv(":memory:");
      const random = seeded(seed);
      const bad = { random, ambiguous: 0.1, locked: 0.1, turns: 4 };
      const three = [0, 1, 2].map(() => new GroupCommitter(flakyKv(kv, bad).kv, { runtime }));
      const moves = Array.from({ length: 300 }, (_, i) => ({
        id: `move-${i}`,
        from: `acct-${Math.floor(random() * 6)}`,
        to: `acct-${Math.floor(random() * 6)}`,
        at: three[Math.floor(random() * 3)]!,
      })).filter(({ from, to }) => from !== to);
      await Promise.all(moves.map((move) => move.at.run(transfer(move))));
      let sum = 0;
      const expected = new Map<string, number>();
      for (const { from, to } of moves) {
        expected.set(from, (expected.get(from) ?? 0) - 1);
        expected.set(to, (expected.get(to) ?? 0) + 1);
      }
      for (const [key, value] of expected) {
        const counter = await stored(kv, key);
        assertEquals(counter.total, value, key);
        sum += counter.total;
      }
      assertEquals(sum, 0);
    });
  }
});

/** Moves 1 from one key to another, once per id. */
function transfer({ id, from, to }: { id: string; from: string; to: string }): Operation<void> {
  const [a, b] = [["counters", from], ["counters", to]];
  return {
    keys: [a!, b!],
    decide(tx) {
      const source = tx.get<Counter>(a!) ?? { total: 0, by: [] };
      const target = tx.get<Counter>(b!) ?? { total: 0, by: [] };
      if (source.by.includes(id)) return;
      tx.set(a!, { total: source.total - 1, by: [...source.by, id] });
      tx.set(b!, { total: target.total + 1, by: [...target.by, id] });
    },
  };
}
