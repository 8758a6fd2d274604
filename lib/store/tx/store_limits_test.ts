import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { DENOKV, type EngineLimits, limitedKv, statedLimits } from "@/tests/support/limited_kv.ts";
import { systemRuntime as runtime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import type { Operation } from "./operation.ts";
import { learnMaxChecks } from "./store_error.ts";

/** Increments each of the named counters. */
function increment(...names: string[]): Operation<void> {
  const keys = names.map((name) => ["counters", name]);
  return {
    keys,
    decide(tx) {
      for (const key of keys) tx.set(key, (tx.get<number>(key) ?? 0) + 1);
    },
  };
}

async function total(kv: Deno.Kv): Promise<number> {
  const counters = await Array.fromAsync(kv.list<number>({ prefix: ["counters"] }));
  return counters.reduce((sum, { value }) => sum + value, 0);
}

describe("GroupCommitter on a store with few checks per atomic", () => {
  const engines: [name: string, limits: EngineLimits][] = [
    ["denokv, which does not state its maximum", DENOKV],
    ["an engine that states a maximum of 7", statedLimits(7)],
  ];
  for (const [name, limits] of engines) {
    it(`splits its batches to fit, and commits everything once: ${name}`, async () => {
      using store = await Deno.openKv(":memory:");
      const limited = limitedKv(store, limits);
      const committer = new GroupCommitter(limited.kv, { runtime });
      const operations = Array.from({ length: 200 }, (_, n) => increment(`a${n}`, `b${n % 50}`));
      await Promise.all(operations.map((one) => committer.run(one)));
      assertEquals(await total(store), 400);
      assert(limited.sent.some((checks) => checks > limits.checks), "no batch was too large");
      // Batches in flight together may each be rejected once; later ones are not.
      assert(limited.rejected <= 8, `${limited.rejected} rejections`);
      limited.rejected = 0;
      await Promise.all(operations.map((one) => committer.run(one)));
      assertEquals(await total(store), 800);
      assertEquals(limited.rejected, 0);
      assertEquals(committer.isFailing, false);
    });
  }

  it("rejects an operation that alone needs too many checks immediately, and no others", async () => {
    using store = await Deno.openKv(":memory:");
    const limited = limitedKv(store, statedLimits(4));
    const committer = new GroupCommitter(limited.kv, { runtime });
    const wide = increment(...Array.from({ length: 6 }, (_, n) => `wide${n}`));
    const [rejected, ...others] = await Promise.allSettled([
      committer.run(wide),
      ...Array.from({ length: 40 }, (_, n) => committer.run(increment(`n${n}`))),
    ]);
    assertEquals(others.filter(({ status }) => status === "rejected"), []);
    assert(rejected.status === "rejected");
    assertEquals(rejected.reason.message, "Too many checks (max 4)");
    assertEquals(await total(store), 40);
  });

  it("commits an operation whose read set alone makes its checks too many", async () => {
    using store = await Deno.openKv(":memory:");
    const limited = limitedKv(store, DENOKV);
    const committer = new GroupCommitter(limited.kv, { runtime });
    const read = [0, 1, 2, 3].map((n) => ["read", n]);
    for (const key of read) await store.set(key, 1);
    const own = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const run = () =>
      committer.transact(async (reads) => {
        const sum = (await Promise.all(read.map((key) => reads.get<number>(key))))
          .reduce((all, { value }) => all + value!, 0);
        const operation = increment(...own);
        await committer.run({ ...operation, decide: (tx) => (operation.decide(tx), sum) }, reads);
        return sum;
      });
    assertEquals(await run(), 4);
    // What it relied on is cached, and has changed since.
    await store.set(read[3]!, 5);
    assertEquals(await run(), 8);
    assertEquals(await total(store), 16);
    assertEquals(limited.sent, [12, 10, 10]);
  });

  it("rejects an invalid call instead of retrying it like an outage", async () => {
    using store = await Deno.openKv(":memory:");
    const committer = new GroupCommitter(store, { runtime });
    const key = ["things", "one"];
    const invalid: Operation<void> = {
      keys: [key],
      decide: (tx) => tx.set(key, () => {}),
    };
    const good = committer.run(increment("good"));
    await assertRejects(() => committer.run(invalid), Error, "could not be cloned");
    await good;
    assertEquals(committer.isFailing, false);
  });
});

describe("learnMaxChecks", () => {
  const fromServer = DENOKV.refuse("checks", 10);

  it("uses the stated maximum, else the known one, else half of what was sent", () => {
    assertEquals(learnMaxChecks(new TypeError("Too many checks (max 25)"), 100), 25);
    assertEquals(learnMaxChecks(fromServer, 100), 10);
    assertEquals(learnMaxChecks(fromServer, 10), 5);
  });

  it("learns nothing if no smaller batch is left, or the error has another cause", () => {
    assertEquals(learnMaxChecks(fromServer, 1), undefined);
    assertEquals(learnMaxChecks(new TypeError("Too many checks (max 100)"), 20), undefined);
    assertEquals(learnMaxChecks(DENOKV.refuse("mutations", 1_000), 100), undefined);
    const busy = "KV Connect failed to call 'http://kv/': 429 Too Many Requests: must be slower";
    assertEquals(learnMaxChecks(new Error(busy), 100), undefined);
  });
});
