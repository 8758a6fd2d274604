import { assertEquals, assertRejects } from "@std/assert";
import { meteredKv } from "@/tests/support/metered_kv.ts";
import { keys } from "../keys/keys.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { type CatalogueEntry, CatalogueStore } from "../providers/catalogue_store.ts";
import { readAhead } from "./read_ahead.ts";

const POINTER = keys.installation("default_tenant");
const LOOKUP = keys.apiKeyByPrefix("p");

const valuesOf = async (kv: Deno.Kv, prefix: Deno.KvKey) =>
  (await Array.fromAsync(kv.list({ prefix }))).map(({ value }) => value);

Deno.test("readAhead: a start reads everything it needs in one round trip", async () => {
  using store = await Deno.openKv(":memory:");
  await store.set(POINTER, "t-1");
  await store.set(keys.tenant("t-1"), "first");
  const meter = meteredKv(store, { far: true });
  const { kv, end } = readAhead(meter.kv);
  assertEquals((await kv.get(POINTER)).value, "t-1");
  // Found in a list.
  assertEquals((await kv.get(keys.tenant("t-1"))).value, "first");
  assertEquals(await valuesOf(kv, keys.tenants()), ["first"]);
  const pair = await kv.getMany([POINTER, keys.catalogueVersion()]);
  assertEquals(pair.map(({ value }) => value), ["t-1", null]);
  assertEquals(meter.take().rounds, 1);
  end();
  assertEquals((await kv.get(POINTER)).value, "t-1");
  assertEquals(meter.take().rounds, 1);
});

Deno.test("readAhead: written keys are read again", async () => {
  using store = await Deno.openKv(":memory:");
  const { kv } = readAhead(store);
  assertEquals((await kv.get(POINTER)).value, null);
  assertEquals(await valuesOf(kv, keys.tenants()), []);
  const { ok } = await kv.atomic().check({ key: POINTER, versionstamp: null }).set(POINTER, "t-1")
    .set(keys.tenant("t-1"), "first").commit();
  assertEquals([ok, (await kv.get(POINTER)).value], [true, "t-1"]);
  assertEquals(await valuesOf(kv, keys.tenants()), ["first"]);
  await kv.set(keys.catalogueVersion(), 1);
  assertEquals((await kv.get(keys.catalogueVersion())).value, 1);
  await kv.delete(keys.catalogueVersion());
  assertEquals((await kv.get(keys.catalogueVersion())).value, null);
});

Deno.test("readAhead: a look-up is used once, also after the start, and never if it found nothing", async () => {
  using store = await Deno.openKv(":memory:");
  await store.set(LOOKUP, "owner");
  const meter = meteredKv(store);
  const missing = keys.apiKeyByPrefix("q");
  const { kv, end } = readAhead(meter.kv, [LOOKUP, missing]);
  await meter.idle();
  end();
  meter.take();
  assertEquals((await kv.getMany([LOOKUP])).map(({ value }) => value), ["owner"]);
  assertEquals(meter.take().gets, 0);
  await store.set(missing, "new value");
  assertEquals((await kv.get(missing)).value, "new value");
  await store.delete(LOOKUP);
  assertEquals((await kv.get(LOOKUP)).value, null);
  assertEquals(meter.take().gets, 2);
});

Deno.test("readAhead: a failed read is repeated, so that its caller gets the error", async () => {
  let calls = 0;
  const broken = {
    getMany: () => Promise.reject(new Error(`away ${++calls}`)),
    get: () => Promise.reject(new Error(`away ${++calls}`)),
    list: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("away")) }),
    }),
  };
  const { kv } = readAhead(broken as unknown as Deno.Kv);
  await assertRejects(() => kv.get(POINTER), Error, "away 2");
  await assertRejects(() => valuesOf(kv, keys.tenants()), Error, "away");
});

for (const action of ["set", "remove"] as const) {
  Deno.test(`readAhead: a catalogue that changes between two reads is read again (${action})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const operator = new CatalogueStore(kv, { demoModel: false });
    const [old, other] = ["old", "other"].map((model) => entryOf(model));
    await operator.set(old!, systemRuntime);
    const late = Promise.withResolvers<void>();
    const store = new Proxy(kv, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "getMany") return typeof value === "function" ? value.bind(target) : value;
        return async (...of: Parameters<Deno.Kv["getMany"]>) => {
          await late.promise;
          return await target.getMany(...of);
        };
      },
    });
    const { kv: ahead, end } = readAhead(store);
    // Its entries are read, its version is not.
    await kv.get(["anything"]);
    if (action === "set") await operator.set(other!, systemRuntime);
    else await operator.remove(old!.vendor, old!.model, systemRuntime);
    late.resolve();
    const catalogue = new CatalogueStore(ahead, { demoModel: false });
    assertEquals(await catalogue.list(), action === "set" ? [old!, other!] : []);
    end();
    assertEquals(await catalogue.list(), await operator.list());
  });
}

function entryOf(model: string): CatalogueEntry {
  const prices = { inputUsdPerMTok: 1, outputUsdPerMTok: 1 };
  return { vendor: PROVIDER_IDS[0]!, model, ...prices, contextTokens: 1_000, maxOutputTokens: 100 };
}
