import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { flakyKv, seeded } from "../../../tests/support/flaky_kv.ts";
import { type Runtime, systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import { encodeKey } from "./kv_cache.ts";
import type { Operation } from "./operation.ts";

/** Retries do not wait and timeouts never fire, however slow the machine is. */
const runtime: Runtime = {
  ...systemRuntime,
  now: () => 0,
  sleep: (ms, signal) =>
    ms < 1000 ? Promise.resolve() : new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
};

/** Records which keys are written by commits in flight at the same time. */
function watchCommits(kv: Deno.Kv): { kv: Deno.Kv; seen: { peak: number; shared: string[] } } {
  const seen = { peak: 0, shared: [] as string[] };
  const inFlight = new Set<Set<string>>();
  const atomic = () => {
    const real = kv.atomic();
    const written = new Set<string>();
    return {
      check: (...checks: Deno.AtomicCheck[]) => real.check(...checks),
      set(key: Deno.KvKey, value: unknown) {
        written.add(encodeKey(key));
        return real.set(key, value);
      },
      async commit() {
        for (const other of inFlight) seen.shared.push(...other.intersection(written));
        inFlight.add(written);
        seen.peak = Math.max(seen.peak, inFlight.size);
        try {
          return await real.commit();
        } finally {
          inFlight.delete(written);
        }
      },
    };
  };
  const watched = { getMany: (keys: Deno.KvKey[]) => kv.getMany(keys), atomic };
  return { kv: watched as unknown as Deno.Kv, seen };
}

interface Total {
  sum: number;
  by: string[];
}

/** Adds 1 under each key, once per id. */
function addTo(names: string[], id: string): Operation<void> {
  const keys = names.map((name) => ["totals", name]);
  return {
    keys,
    decide(tx) {
      for (const key of keys) {
        const total = tx.get<Total>(key) ?? { sum: 0, by: [] };
        if (total.by.includes(id)) continue;
        tx.set(key, { sum: total.sum + 1, by: [...total.by, id] });
      }
    },
  };
}

describe("GroupCommitter with several batches in flight", () => {
  it("commits full batches without common keys in parallel", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, seen } = watchCommits(kv);
    const committer = new GroupCommitter(watched, { runtime });
    const names = Array.from({ length: 450 }, (_, i) => `key-${i}`);
    await Promise.all(names.map((name) => committer.run(addTo([name], "once"))));
    assert(seen.peak > 1, `${seen.peak} at once`);
    const [last] = await kv.getMany<[Total]>([["totals", "key-449"]]);
    assertEquals(last.value?.sum, 1);
  });

  for (const seed of [1, 2, 3, 4]) {
    it(`never writes a key in two of them, and loses nothing (seed ${seed})`, async () => {
      using kv = await Deno.openKv(":memory:");
      const random = seeded(seed);
      const bad = { random, ambiguous: 0.05, locked: 0.05, turns: 6 };
      const { kv: watched, seen } = watchCommits(flakyKv(kv, bad).kv);
      const [one, other] = [
        new GroupCommitter(watched, { runtime }),
        new GroupCommitter(kv, { runtime }),
      ];
      const expected = new Map<string, number>();
      const runs = Array.from({ length: 900 }, (_, i) => {
        // One in ten uses a few contended keys.
        const range = random() < 0.1 ? 3 : 600;
        const draw = () => `key-${Math.floor(random() * range)}`;
        const names = [...new Set([draw(), draw(), draw()])];
        for (const name of names) expected.set(name, (expected.get(name) ?? 0) + 1);
        return (random() < 0.1 ? other : one).run(addTo(names, `id-${i}`));
      });
      await Promise.all(runs);
      assertEquals(seen.shared, []);
      for (const [name, sum] of expected) {
        assertEquals((await kv.get<Total>(["totals", name])).value?.sum, sum, name);
      }
    });
  }
});
