import { assert, assertFalse } from "@std/assert";
import { lockBuild } from "./build_lock.ts";

Deno.test("lockBuild: excludes other processes until it is disposed", async () => {
  const root = await Deno.makeTempDir();
  try {
    const lock = await lockBuild(root);
    using other = await Deno.open(`${root}/node_modules/.cache/build.lock`, { write: true });
    assertFalse(await other.tryLock(true));
    lock[Symbol.dispose]();
    assert(await other.tryLock(true));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
