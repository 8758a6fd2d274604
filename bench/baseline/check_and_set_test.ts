import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConflictError } from "@/lib/store/tx/read_transaction.ts";
import type { Operation } from "@/lib/store/tx/operation.ts";
import { CheckAndSet } from "./check_and_set.ts";

const AT = ["totals", "a"];

/** Counts one more, up to `cap`. */
function countTo(cap: number): Operation<boolean> {
  return {
    keys: [AT],
    decide(draft) {
      const total = draft.get<number>(AT) ?? 0;
      if (total >= cap) return false;
      draft.set(AT, total + 1);
      return true;
    },
  };
}

Deno.test("CheckAndSet: is exact under concurrency, as what it is compared with", async () => {
  using kv = await Deno.openKv(":memory:");
  const engine = new CheckAndSet(kv);
  const told = await Promise.all(Array.from({ length: 40 }, () => engine.run(countTo(25))));
  assertEquals(told.filter((counted) => counted).length, 25);
  assertEquals((await kv.get(AT)).value, 25);
});

Deno.test("CheckAndSet: work is done again when what it read has changed", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(["plan"], "old");
  const engine = new CheckAndSet(kv);
  const seen: unknown[] = [];
  await engine.work(async (reader) => {
    seen.push((await reader.get(["plan"])).value);
    if (seen.length === 1) await kv.set(["plan"], "new");
    return await engine.run(countTo(9), reader);
  });
  assertEquals(seen, ["old", "new"]);
  assertEquals((await kv.get(AT)).value, 1);
});

Deno.test("CheckAndSet: tries no longer than it is asked to", async () => {
  using kv = await Deno.openKv(":memory:");
  const stop = new AbortController();
  const engine = new CheckAndSet(kv, { signal: stop.signal });
  let tries = 0;
  const contended: Operation<void> = {
    keys: [AT],
    decide(draft) {
      draft.set(AT, ++tries);
      void kv.set(AT, -tries);
      if (tries === 3) stop.abort(new Error("time is up"));
    },
  };
  const error = await assertRejects(() => engine.run(contended), Error, "time is up");
  assert(!(error instanceof ConflictError));
  assertEquals(tries, 3);
});
