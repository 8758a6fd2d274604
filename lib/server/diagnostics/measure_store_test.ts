import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { measureClockSkewMs, measureStore } from "./measure_store.ts";

/** A store with the given latencies on a fake clock. */
async function distantKv(
  runtime: FakeRuntime,
  { readMs, writeMs, maxChecks = 100 }: {
    readMs: number;
    writeMs: (bytes: number) => number;
    maxChecks?: number;
  },
): Promise<Deno.Kv> {
  const kv = await Deno.openKv(":memory:");
  return new Proxy(kv, {
    get(target, name) {
      if (name === "get") {
        return async (key: Deno.KvKey) => (await runtime.advance(readMs), await kv.get(key));
      }
      if (name === "set") {
        return async (key: Deno.KvKey, value: Uint8Array) => {
          await runtime.advance(writeMs(value.length));
          return await kv.set(key, value);
        };
      }
      if (name === "atomic") return () => limited(kv.atomic(), maxChecks);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function limited(atomic: Deno.AtomicOperation, maxChecks: number): Deno.AtomicOperation {
  const check = atomic.check.bind(atomic);
  const commit = atomic.commit.bind(atomic);
  let checks = 0;
  return Object.assign(atomic, {
    check: (...of: Parameters<typeof check>) => (checks += of.length, check(...of)),
    commit: () => checks > maxChecks ? Promise.reject(new TypeError("Too many checks")) : commit(),
  });
}

Deno.test("measureStore: measures reads and writes by size and deletes its values", async () => {
  const runtime = new FakeRuntime();
  const writeMs = (bytes: number) => bytes < 1_000 ? 1 : 45;
  using kv = await distantKv(runtime, { readMs: 2, writeMs, maxChecks: 10 });
  const measured = await measureStore(kv, { runtime });
  assertEquals(measured, {
    readMs: 2,
    writes: [{ bytes: 500, ms: 1 }, { bytes: 2_000, ms: 45 }, { bytes: 16_000, ms: 45 }],
    maxChecks: 10,
  });
  assertEquals(await Array.fromAsync(kv.list({ prefix: [] })), []);
});

Deno.test("measureStore: rethrows failures of the store and deletes its values", async () => {
  const runtime = new FakeRuntime();
  const writeMs = (bytes: number) => {
    if (bytes > 2_000) throw new TypeError("the disk is full");
    return 1;
  };
  using kv = await distantKv(runtime, { readMs: 1, writeMs });
  await assertRejects(() => measureStore(kv, { runtime }), TypeError, "the disk is full");
  assertEquals(await Array.fromAsync(kv.list({ prefix: [] })), []);
});

Deno.test("measureClockSkewMs: assumes half the round trip and the middle of the second", async () => {
  const runtime = new FakeRuntime();
  const at = runtime.now();
  const answer = (date?: string) => async () => {
    await runtime.advance(2_000);
    return new Response(null, { headers: date === undefined ? {} : { date } });
  };
  const date = new Date(at + 61_000).toUTCString();
  const url = "http://kv.internal";
  assertEquals(await measureClockSkewMs(url, { fetch: answer(date), runtime }), 60_500);
  assertEquals(await measureClockSkewMs(url, { fetch: answer(), runtime }), undefined);
});
