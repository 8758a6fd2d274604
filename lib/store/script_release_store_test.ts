import { assertEquals } from "@std/assert";
import { describeScript } from "./script_bundle.ts";
import { ScriptReleaseStore } from "./script_release_store.ts";

const bundleOf = (text: string) => describeScript(new TextEncoder().encode(text));

async function releases(kv: Deno.Kv, texts: string[]) {
  let now = 1_000;
  const bundles = [];
  for (const text of texts) {
    bundles.push(await bundleOf(text));
    await new ScriptReleaseStore(kv, { now: () => ++now }).publish("widget", bundles.at(-1)!);
  }
  return bundles;
}

Deno.test("ScriptReleaseStore: finds this release and the hundred before it, and no older ones", async () => {
  using kv = await Deno.openKv(":memory:");
  const bundles = await releases(kv, Array.from({ length: 102 }, (_, n) => `release ${n}`));
  const store = new ScriptReleaseStore(kv, { now: () => 0 });
  const found = await Promise.all(bundles.map(({ hash12 }) => store.find("widget", hash12)));
  assertEquals(found.map((one) => one !== undefined), [false, ...Array(101).fill(true)]);
  assertEquals(found[1]?.body, bundles[1]!.body);
  assertEquals(found[1]?.integrity, bundles[1]!.integrity);
  assertEquals(await Array.fromAsync(kv.list({ prefix: ["script_release_parts"] }), () => 1), [
    ...Array(101).fill(1),
  ]);
});

Deno.test("ScriptReleaseStore: a release that is published again is the newest, and stored once", async () => {
  using kv = await Deno.openKv(":memory:");
  const texts = ["back", ...Array.from({ length: 100 }, (_, n) => `release ${n}`), "back", "next"];
  const [back] = await releases(kv, texts);
  const store = new ScriptReleaseStore(kv, { now: () => 0 });
  assertEquals((await store.find("widget", back!.hash12))?.body, back!.body);
  assertEquals((await Array.fromAsync(kv.list({ prefix: ["script_releases"] }))).length, 101);
});

Deno.test("ScriptReleaseStore: joins a script larger than a value, and separates names", async () => {
  using kv = await Deno.openKv(":memory:");
  const [large] = await releases(kv, ["x".repeat(150_000)]);
  const store = new ScriptReleaseStore(kv, { now: () => 0 });
  assertEquals((await store.find("widget", large!.hash12))?.body, large!.body);
  assertEquals(await store.find("client", large!.hash12), undefined);
  assertEquals(await store.find("widget", "../../secret"), undefined);
});
