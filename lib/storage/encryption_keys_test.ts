import { assertEquals, assertRejects } from "@std/assert";
import {
  MissingEncryptionKeyError,
  retireEncryptionKeys,
  usedEncryptionKeys,
  useEncryptionKeys,
} from "./encryption_keys.ts";

Deno.test("useEncryptionKeys: every key that has been the first must be there, in any order, until it is retired", async () => {
  using kv = await Deno.openKv(":memory:");
  await useEncryptionKeys(kv, ["a", "spare"]);
  await useEncryptionKeys(kv, ["b", "a"]);
  await useEncryptionKeys(kv, ["a", "b"]);
  assertEquals(await usedEncryptionKeys(kv), ["a", "b"]);
  const missing = () => useEncryptionKeys(kv, ["b", "c"]);
  assertEquals((await assertRejects(missing, MissingEncryptionKeyError)).ids, ["a"]);
  // A start that was refused has not made its own key one that others need.
  await assertRejects(() => useEncryptionKeys(kv, ["c"]), MissingEncryptionKeyError, "a, b");
  assertEquals(await usedEncryptionKeys(kv), ["a", "b"]);
  await retireEncryptionKeys(kv, ["a"]);
  await useEncryptionKeys(kv, ["b"]);
  await useEncryptionKeys(kv, ["c"], { allowMissing: true });
  assertEquals(await usedEncryptionKeys(kv), ["b", "c"]);
});
