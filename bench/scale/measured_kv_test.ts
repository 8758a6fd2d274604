import { assert, assertEquals } from "@std/assert";
import { measuredKv } from "./measured_kv.ts";

Deno.test("measuredKv: counts calls, commits and the commits whose checks failed", async () => {
  using kv = await Deno.openKv(":memory:");
  const { kv: measured, counted } = measuredKv(kv, 0);
  const key = ["a"];
  await measured.set(key, 1);
  await measured.get(key);
  const stale = await measured.atomic().check({ key, versionstamp: null }).set(key, 2).commit();
  await Array.fromAsync(measured.list({ prefix: [] }));
  assertEquals(stale.ok, false);
  assertEquals(counted, { calls: 4, commits: 2, conflicts: 1 });
});

Deno.test("measuredKv: a commit conflicts with a write made while it is in transit", async () => {
  using kv = await Deno.openKv(":memory:");
  const key = ["a"];
  const commit = measuredKv(kv, 40).kv.atomic().check({ key, versionstamp: null }).set(key, 1)
    .commit();
  await kv.set(key, 2);
  assertEquals(await commit, { ok: false });
});

Deno.test("measuredKv: a result in transit back no longer changes", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(["a"], 1);
  const wasRead = Promise.withResolvers<void>();
  const observed = new Proxy(kv, {
    get: (target, name) =>
      name === "get"
        ? (key: Deno.KvKey) => target.get(key).finally(() => wasRead.resolve())
        : Reflect.get(target, name),
  });
  let isBack = false;
  const read = measuredKv(observed, 40).kv.get(["a"]).finally(() => isBack = true);
  await wasRead.promise;
  assert(!isBack);
  await kv.set(["a"], 2);
  assertEquals((await read).value, 1);
});
