import { assertEquals, assertRejects } from "@std/assert";
import {
  MissingEncryptionKeyError,
  readEncryptionKeyIds,
  registerEncryptionKeys,
  retireEncryptionKeys,
} from "./encryption_keys.ts";

Deno.test("registerEncryptionKeys: every key that was once the first is required, in any order, until it is retired", async () => {
  using kv = await Deno.openKv(":memory:");
  await registerEncryptionKeys(kv, ["a", "spare"]);
  await registerEncryptionKeys(kv, ["b", "a"]);
  await registerEncryptionKeys(kv, ["a", "b"]);
  assertEquals(await readEncryptionKeyIds(kv), ["a", "b"]);
  const missing = () => registerEncryptionKeys(kv, ["b", "c"]);
  assertEquals((await assertRejects(missing, MissingEncryptionKeyError)).ids, ["a"]);
  // A rejected start has not registered its key.
  await assertRejects(() => registerEncryptionKeys(kv, ["c"]), MissingEncryptionKeyError, "a, b");
  assertEquals(await readEncryptionKeyIds(kv), ["a", "b"]);
  await retireEncryptionKeys(kv, ["a"]);
  await registerEncryptionKeys(kv, ["b"]);
  await registerEncryptionKeys(kv, ["c"], { allowMissing: true });
  assertEquals(await readEncryptionKeyIds(kv), ["b", "c"]);
});
