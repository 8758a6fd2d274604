import { assertEquals, assertRejects } from "@std/assert";
import {
  MissingEncryptionKeyError,
  readEncryptionKeyIds,
  registerEncryptionKeys,
  retireEncryptionKeys,
} from "./encryption_keys.ts";

Deno.test("registerEncryptionKeys: every key that has been the first must be there, in any order, until it is retired", async () => {
  using kv = await Deno.openKv(":memory:");
  await registerEncryptionKeys(kv, ["a", "spare"]);
  await registerEncryptionKeys(kv, ["b", "a"]);
  await registerEncryptionKeys(kv, ["a", "b"]);
  assertEquals(await readEncryptionKeyIds(kv), ["a", "b"]);
  const missing = () => registerEncryptionKeys(kv, ["b", "c"]);
  assertEquals((await assertRejects(missing, MissingEncryptionKeyError)).ids, ["a"]);
  // A start that was refused has not made its own key one that others need.
  await assertRejects(() => registerEncryptionKeys(kv, ["c"]), MissingEncryptionKeyError, "a, b");
  assertEquals(await readEncryptionKeyIds(kv), ["a", "b"]);
  await retireEncryptionKeys(kv, ["a"]);
  await registerEncryptionKeys(kv, ["b"]);
  await registerEncryptionKeys(kv, ["c"], { allowMissing: true });
  assertEquals(await readEncryptionKeyIds(kv), ["b", "c"]);
});
