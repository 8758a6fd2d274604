import { assertEquals, assertThrows } from "@std/assert";
import { StoreFile } from "./store_file.ts";
import { decodeKey, encodeTextKey } from "./tuple_key.ts";

const KEYS: Deno.KvKey[] = [
  ["installation", "default_tenant"],
  ["a\u0000b", "\u0000", "ü", ""],
  [new Uint8Array([0, 255, 0, 0, 255, 1]), "x"],
  ["numbers", 0, -1, 1.5, 1e300, -1e-300, Number.MAX_SAFE_INTEGER],
  ["flags", true, false],
];

Deno.test("decodeKey: reads every key of a store's file as Deno KV does", async () => {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/kv.sqlite3`;
  const kv = await Deno.openKv(path);
  for (const [n, key] of KEYS.entries()) await kv.set(key, n);
  const listed = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key);
  kv.close();
  using file = await StoreFile.open(path);
  assertEquals([...file.entries()].map(({ key }) => key), listed);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("encodeTextKey: finds entries, also with zeros in their keys", async () => {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/kv.sqlite3`;
  const kv = await Deno.openKv(path);
  await kv.set(["a\u0000b", "\u0000", ""], new Uint8Array([7]));
  kv.close();
  using file = await StoreFile.open(path);
  assertEquals(file.get(["a\u0000b", "\u0000", ""]), new Uint8Array([7]));
  assertEquals(file.get(["a", "b"]), undefined);
  assertEquals(decodeKey(encodeTextKey(["x", "y\u0000"])), ["x", "y\u0000"]);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("decodeKey: rejects what is no key", () => {
  assertThrows(() => decodeKey(new Uint8Array([0x05, 1, 2])), Error, "unknown type 0x5");
  assertThrows(() => decodeKey(new Uint8Array([0x02, 65])), Error, "ends within a text");
});
