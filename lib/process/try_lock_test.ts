import { assertEquals } from "@std/assert";
import { releaseLock } from "./free_lock.ts";
import { tryLock } from "./try_lock.ts";

/** A file as Deno 2.5 has it, which can only wait for a lock. */
function withoutTryLock(file: Deno.FsFile): Deno.FsFile {
  return { lock: (exclusive: boolean) => file.lock(exclusive) } as Deno.FsFile;
}

Deno.test("tryLock: where Deno can only wait for a lock, a free one is had, and a taken one is not", async () => {
  const path = await Deno.makeTempFile();
  try {
    const [first, second] = [await Deno.open(path), await Deno.open(path)];
    assertEquals(await tryLock(withoutTryLock(first)), true);
    assertEquals(await tryLock(withoutTryLock(second)), false);
    releaseLock(first);
    // Comes after the wait that was given up, which ends now.
    await second.lock(true);
    second.close();
  } finally {
    await Deno.remove(path);
  }
});
