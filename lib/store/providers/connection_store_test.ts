import { assert, assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { storedText } from "@/tests/support/store.ts";
import { Sealer } from "../../platform/crypto/sealing.ts";
import { keys } from "../keys/keys.ts";
import { CONNECTIONS_PURPOSE, ConnectionStore } from "./connection_store.ts";

const OURS = {
  protocol: "openai",
  baseUrl: "https://models.example/v1",
  name: "Ours",
  apiKey: "sk-tops3cret",
} as const;

function open(kv: Deno.Kv, keyByte = 7): ConnectionStore {
  const runtime = new FakeRuntime();
  const { randomBytes } = runtime;
  const key = new Uint8Array(32).fill(keyByte).toBase64();
  const sealer = new Sealer([key], { purpose: CONNECTIONS_PURPOSE, randomBytes });
  return new ConnectionStore(kv, { runtime, sealer });
}

Deno.test("ConnectionStore: a connection is unsealed unchanged, and nothing else shows its credential", async () => {
  using kv = await Deno.openKv(":memory:");
  const slots = open(kv);
  await slots.set("vendor_b", OURS);
  assertEquals(await slots.unsealAll(), { connections: { vendor_b: OURS }, unreadable: [] });
  assert(!JSON.stringify(await slots.list()).includes("tops3cret"));
  assert(!(await storedText(kv)).includes("tops3cret"));
});

Deno.test("ConnectionStore: write access to the store cannot redirect a credential", async () => {
  using kv = await Deno.openKv(":memory:");
  const slots = open(kv);
  await slots.set("vendor_b", OURS);
  const { value } = await kv.get<Record<string, unknown>>(keys.providerConnection("vendor_b"));
  await kv.set(keys.providerConnection("vendor_b"), { ...value, baseUrl: "https://evil.example" });
  await kv.set(keys.providerConnection("vendor_c"), value);
  assertEquals(await slots.unsealAll(), { connections: {}, unreadable: ["vendor_b", "vendor_c"] });
});

Deno.test("ConnectionStore: with another encryption key a connection is reported as unreadable", async () => {
  using kv = await Deno.openKv(":memory:");
  await open(kv).set("vendor_a", OURS);
  assertEquals(await open(kv, 8).unsealAll(), { connections: {}, unreadable: ["vendor_a"] });
  assertEquals((await open(kv, 8).list()).map(({ vendor }) => vendor), ["vendor_a"]);
});

Deno.test("ConnectionStore: every change updates the version of the catalogue", async () => {
  using kv = await Deno.openKv(":memory:");
  const slots = open(kv);
  const versions = new Set<string | null>();
  const see = async () => versions.add((await kv.get(keys.catalogueVersion())).versionstamp);
  await see();
  await slots.set("vendor_a", OURS);
  await see();
  assertEquals(await slots.remove("vendor_a"), true);
  await see();
  assertEquals(await slots.remove("vendor_a"), false);
  assertEquals(versions.size, 3);
});
