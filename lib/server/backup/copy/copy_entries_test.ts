import { assert, assertEquals, assertRejects } from "@std/assert";
import { overrideKv } from "../../../store/kv/override_kv.ts";
import { encodeValue } from "../../../store/values/value_codec.ts";
import { StoreFile } from "../store_file.ts";
import { compareStores, StoresDifferError } from "./compare_stores.ts";
import { copyEntries, finishCopy, TargetNotEmptyError } from "./copy_entries.ts";
import { fileSource, kvSource, listAll } from "./copy_source.ts";

const NOW = Date.now();
const now = () => NOW;
const HOUR = 3_600_000;

/** A store's file with every kind of key and value; the test closes it. */
async function makeFile(dir: string): Promise<string> {
  const path = `${dir}/source.sqlite3`;
  using kv = await Deno.openKv(path);
  for (let n = 0; n < 450; n++) await kv.set(["store_probes", n], encodeValue({ v: 1, n }));
  // Their order as UTF-8 differs from that as UTF-16.
  for (const name of ["\u{1f600}", "\uffee", "a\u0000", "a", "ab"]) {
    await kv.set(["store_probes", name], encodeValue({ v: 1, name }));
  }
  for (let n = 0; n < 12; n++) {
    await kv.set(["run_chunks", "t", "r", n], new Uint8Array(60_000).fill(n));
  }
  await kv.set(["legacy"], { v: 1, list: [1, 2], at: new Date(0) });
  await kv.set(["counter"], new Deno.KvU64(7n));
  await kv.set(["sessions", "t", "later"], encodeValue({ exp: NOW + HOUR }), { expireIn: HOUR });
  await kv.set(["sessions", "t", "past"], encodeValue({ exp: NOW + 1 }), { expireIn: HOUR });
  return path;
}

async function withStores(
  run: (stores: { file: string; target: Deno.Kv; dir: string }) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const target = await Deno.openKv(`${dir}/target.sqlite3`);
  try {
    await run({ file: await makeFile(dir), target, dir });
  } finally {
    target.close();
    await Deno.remove(dir, { recursive: true });
  }
}

const keysIn = async (kv: Deno.Kv) => (await Array.fromAsync(listAll(kv))).map(({ key }) => key);

Deno.test("copyEntries: copies all kinds of entries with their expiry, and both stores are equal", async () => {
  await withStores(async ({ file, target, dir }) => {
    using source = await StoreFile.open(file);
    const options = { source: fileSource(source), from: "a", target, now };
    const count = source.count();
    assertEquals(await copyEntries(options), count);
    const { entries, sha256, expired } = await compareStores(options.source, options);
    assertEquals([entries, expired], [count, 0]);
    await finishCopy(target);
    assertEquals(await keysIn(target), [...source.entries()].map(({ key }) => key));
    assertEquals((await target.get(["counter"])).value, new Deno.KvU64(7n));
    const legacy = (await target.get<Uint8Array>(["legacy"])).value!;
    assertEquals(legacy, encodeValue({ v: 1, list: [1, 2], at: new Date(0) }));
    using copy = await StoreFile.open(`${dir}/target.sqlite3`);
    const expiries = [...copy.entries()].filter(({ expiresAt }) => expiresAt !== undefined);
    assertEquals(expiries.map(({ key }) => key[2]), ["later", "past"]);
    assert(Math.abs(expiries[0]!.expiresAt! - (NOW + HOUR)) < 60_000);
    // A server's protocol has no expiry times: the records state them.
    using again = await Deno.openKv(":memory:");
    const later = () => NOW + 86_400_000 + 2;
    const fromServer = { ...options, source: kvSource(target, later), target: again, now: later };
    const copied = await copyEntries(fromServer);
    assertEquals(copied, count - 1);
    assertEquals((await again.get(["sessions", "t", "past"])).versionstamp, null);
    assert(sha256.length === 64);
  });
});

Deno.test("copyEntries: a copy that was interrupted continues, and writes nothing twice", async () => {
  await withStores(async ({ file, target }) => {
    using source = await StoreFile.open(file);
    let commits = 0;
    let written = 0;
    const failing = overrideKv(target, {
      atomic: () => {
        const step = target.atomic();
        const [set, commit] = [step.set.bind(step), step.commit.bind(step)];
        return Object.assign(step, {
          set: (...of: Parameters<typeof set>) => (written++, set(...of)),
          commit: () => ++commits === 3 ? Promise.reject(new Error("lost")) : commit(),
        });
      },
    });
    const options = { source: fileSource(source), from: "a", target: failing, now };
    await assertRejects(() => copyEntries(options), Error, "lost");
    const lost = written;
    assertEquals(await copyEntries(options), source.count());
    assertEquals((await compareStores(options.source, options)).entries, source.count());
    // Each step also sets how far the copy is; the third one was repeated.
    assert(lost < written && written - commits <= source.count() + 200);
    const other = { ...options, from: "b" };
    await assertRejects(() => copyEntries(other), TargetNotEmptyError, "unfinished copy of a");
  });
});

Deno.test("copyEntries: rejects a target that already has entries", async () => {
  await withStores(async ({ file, target }) => {
    await target.set(["installation", "default_tenant"], encodeValue("x"));
    using source = await StoreFile.open(file);
    const options = { source: fileSource(source), from: "a", target, now };
    await assertRejects(() => copyEntries(options), TargetNotEmptyError, "empty store");
    assertEquals(await keysIn(target), [["installation", "default_tenant"]]);
  });
});

Deno.test("copyEntries: long keys are divided among steps that a store takes", async () => {
  const entries = Array.from({ length: 200 }, (_, n) => ({
    key: ["store_probes", `${String(n).padStart(4, "0")}${"ü".repeat(900)}`],
    value: encodeValue({ v: 1, n }),
  }));
  const source = {
    entries: async function* () {
      yield* entries;
    },
  };
  using target = await Deno.openKv(":memory:");
  assertEquals(await copyEntries({ source, from: "a", target, now }), 200);
});

Deno.test("compareStores: names an entry that is missing, added or changed", async () => {
  await withStores(async ({ file, target }) => {
    using source = await StoreFile.open(file);
    const options = { source: fileSource(source), from: "a", target, now };
    await copyEntries(options);
    const key = ["store_probes", 44];
    const { value } = await target.get(key);
    const compare = () => compareStores(options.source, options);
    await target.delete(key);
    await assertRejects(
      compare,
      StoresDifferError,
      "the target does not have an entry of store_probes",
    );
    await target.set(key, encodeValue({ v: 1, n: 45 }));
    await assertRejects(compare, StoresDifferError, "different values");
    await target.set(key, value);
    await target.set(["store_probes", 44.5], value);
    await assertRejects(compare, StoresDifferError, "the source does not have");
    await target.delete(["store_probes", 44.5]);
    assertEquals((await compare()).entries, source.count());
  });
});
