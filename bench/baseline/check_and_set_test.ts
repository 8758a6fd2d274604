import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConflictError } from "@/lib/store/tx/read_transaction.ts";
import type { Operation } from "@/lib/store/tx/operation.ts";
import { CheckAndSet } from "./check_and_set.ts";

const AT = ["totals", "a"];

/** Increments the total, up to `cap`. */
function countTo(cap: number): Operation<boolean> {
  return {
    keys: [AT],
    decide(tx) {
      const total = tx.get<number>(AT) ?? 0;
      if (total >= cap) return false;
      tx.set(AT, total + 1);
      return true;
    },
  };
}

Deno.test("CheckAndSet: is exact under concurrency", async () => {
  using kv = await Deno.openKv(":memory:");
  const engine = new CheckAndSet(kv);
  const results = await Promise.all(Array.from({ length: 40 }, () => engine.run(countTo(25))));
  assertEquals(results.filter((counted) => counted).length, 25);
  assertEquals((await kv.get(AT)).value, 25);
});

Deno.test("CheckAndSet: transact repeats work whose reads have changed", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(["plan"], "old");
  const engine = new CheckAndSet(kv);
  const valuesRead: unknown[] = [];
  await engine.transact(async (reader) => {
    valuesRead.push((await reader.get(["plan"])).value);
    if (valuesRead.length === 1) await kv.set(["plan"], "new");
    return await engine.run(countTo(9), reader);
  });
  assertEquals(valuesRead, ["old", "new"]);
  assertEquals((await kv.get(AT)).value, 1);
});

Deno.test("CheckAndSet: stops retrying when its signal aborts", async () => {
  using kv = await Deno.openKv(":memory:");
  const stop = new AbortController();
  const engine = new CheckAndSet(kv, { signal: stop.signal });
  let attempts = 0;
  const contended: Operation<void> = {
    keys: [AT],
    decide(tx) {
      tx.set(AT, ++attempts);
      void kv.set(AT, -attempts);
      if (attempts === 3) stop.abort(new Error("time is up"));
    },
  };
  const error = await assertRejects(() => engine.run(contended), Error, "time is up");
  assert(!(error instanceof ConflictError));
  assertEquals(attempts, 3);
});
