import { assertEquals } from "@std/assert";
import { countingKv } from "@/tests/support/counting_kv.ts";
import { breakableKv } from "@/tests/support/broken_kv.ts";
import { AlertStore } from "./alert_store.ts";

const [TENANT, OTHER] = ["tenant", "other"];
const SHOP = { name: "https://shop.example", detail: "agent" };
const MINUTE = 60_000;

function handClock() {
  let now = 1_000_000_000;
  return { now: () => now, advance: (ms: number) => now += ms };
}

Deno.test("AlertStore: counts by name, for one tenant", async () => {
  using kv = await Deno.openKv(":memory:");
  const clock = handClock();
  const store = new AlertStore(kv, clock);
  const firstAt = clock.now();
  store.note(TENANT, "origin_refused", SHOP);
  clock.advance(10);
  store.note(TENANT, "origin_refused", { ...SHOP, detail: "another" });
  store.note(TENANT, "vendor_failed", { name: "vendor_a/m", detail: "provider_error" });
  const lastAt = clock.now();
  const item = { name: SHOP.name, detail: "another", count: 2, firstAt, lastAt };
  assertEquals(await store.list(TENANT, "origin_refused"), [item]);
  assertEquals((await store.list(TENANT, "vendor_failed")).length, 1);
  assertEquals(await store.list(OTHER, "origin_refused"), []);
});

Deno.test("AlertStore: a flood is written once a minute, and visible to other processes", async () => {
  using memory = await Deno.openKv(":memory:");
  const { kv, take } = countingKv(memory);
  const clock = handClock();
  const [store, elsewhere] = [new AlertStore(kv, clock), new AlertStore(kv, clock)];
  for (let n = 0; n < 1_000; n++) {
    store.note(TENANT, "origin_refused", { name: `https://${n % 40}.example`, detail: "" });
  }
  assertEquals((await store.list(TENANT, "origin_refused")).length, 20);
  assertEquals(take().commit, 1);
  assertEquals((await elsewhere.list(TENANT, "origin_refused")).length, 1);
  clock.advance(MINUTE);
  store.note(TENANT, "origin_refused", SHOP);
  await store.list(TENANT, "origin_refused");
  assertEquals(take().commit, 1);
  assertEquals((await elsewhere.list(TENANT, "origin_refused")).length, 20);
});

Deno.test("AlertStore: an alert expires a day after its last occurrence", async () => {
  using kv = await Deno.openKv(":memory:");
  const clock = handClock();
  const store = new AlertStore(kv, clock);
  store.note(TENANT, "origin_refused", SHOP);
  clock.advance(24 * 60 * MINUTE);
  assertEquals(await store.list(TENANT, "origin_refused"), []);
});

Deno.test("AlertStore: alerts are written later if the store is unavailable", async () => {
  const broken = await breakableKv();
  using kv = broken.kv;
  const clock = handClock();
  const store = new AlertStore(kv, clock);
  broken.break("away");
  store.note(TENANT, "origin_refused", SHOP);
  await store.close();
  broken.break("", []);
  await store.close();
  const [item] = await new AlertStore(kv, clock).list(TENANT, "origin_refused");
  assertEquals(item?.count, 1);
});
