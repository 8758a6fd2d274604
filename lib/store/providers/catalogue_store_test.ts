import { assertEquals } from "@std/assert";
import { type CatalogueEntry, CatalogueStore } from "./catalogue_store.ts";
import { keys } from "../keys/keys.ts";

const ENTRY: CatalogueEntry = {
  vendor: "vendor_b",
  model: "large",
  inputUsdPerMTok: 3,
  outputUsdPerMTok: 15,
  contextTokens: 200_000,
  maxOutputTokens: 8_192,
};

Deno.test("CatalogueStore: every provider has the free demo model, unless it is turned off", async () => {
  using kv = await Deno.openKv(":memory:");
  const on = new CatalogueStore(kv, { demoModel: true });
  assertEquals((await on.list()).map((entry) => entry.vendor), [
    "vendor_a",
    "vendor_b",
    "vendor_c",
  ]);
  assertEquals((await on.get("vendor_c", "demo"))?.outputUsdPerMTok, 0);
  const off = new CatalogueStore(kv, { demoModel: false });
  assertEquals(await off.list(), []);
  assertEquals(await off.get("vendor_a", "demo"), undefined);
});

Deno.test("CatalogueStore: a model belongs to one provider", async () => {
  using kv = await Deno.openKv(":memory:");
  const catalogue = new CatalogueStore(kv, { demoModel: false });
  await catalogue.addMissing([ENTRY]);
  assertEquals(await catalogue.get("vendor_b", "large"), ENTRY);
  assertEquals(await catalogue.get("vendor_a", "large"), undefined);
  assertEquals(await catalogue.list(), [ENTRY]);
});

Deno.test("CatalogueStore: addMissing keeps an edited entry", async () => {
  using kv = await Deno.openKv(":memory:");
  const catalogue = new CatalogueStore(kv, { demoModel: false });
  const edited = { ...ENTRY, inputUsdPerMTok: 4 };
  await kv.set(keys.catalogueEntry("vendor_b", "large"), { v: 1, ...edited });
  await catalogue.addMissing([ENTRY, { ...ENTRY, model: "small" }]);
  assertEquals(await catalogue.get("vendor_b", "large"), edited);
  assertEquals((await catalogue.list()).map((entry) => entry.model), ["large", "small"]);
});
