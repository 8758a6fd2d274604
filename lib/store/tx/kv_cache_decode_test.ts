import { assertEquals } from "@std/assert";
import { systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";

const DAMAGED = "stored record bad cannot be decoded: it is damaged";

/** The same store, whose value under `["bad"]` cannot be decoded. */
function withBadValue(kv: Deno.Kv): Deno.Kv {
  const getMany = async (keys: Deno.KvKey[]) => {
    const entries = await kv.getMany<unknown[]>(keys);
    const get = () => {
      throw new Error(DAMAGED);
    };
    for (const entry of entries) {
      if (entry.key[0] === "bad") Object.defineProperty(entry, "value", { get });
    }
    return entries;
  };
  return { getMany, atomic: () => kv.atomic() } as unknown as Deno.Kv;
}

Deno.test("GroupCommitter: a value that cannot be decoded fails its own operations immediately, and no others", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(["good"], "good");
  await kv.set(["bad"], "bad");
  // A retry would never end.
  const runtime = { ...systemRuntime, sleep: () => new Promise<void>(() => {}) };
  const committer = new GroupCommitter(withBadValue(kv), { runtime });
  const read = (...keys: Deno.KvKey[]) =>
    committer.run({ keys, decide: (tx) => tx.get<string>(keys[0]!) });
  const outcomes = await Promise.allSettled([
    read(["bad"], ["good"]),
    read(["good"]),
    committer.transact((view) => view.get(["bad"])),
    committer.transact(async (view) => (await view.get(["good"])).value),
  ]);
  const results = outcomes.map((one) =>
    one.status === "fulfilled" ? one.value : one.reason.message
  );
  assertEquals(results, [DAMAGED, "good", DAMAGED, "good"]);
});
