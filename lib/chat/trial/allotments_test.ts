import { assertEquals } from "@std/assert";
import { Allotments } from "./allotments.ts";

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = {};
  await Promise.resolve();
  return await Promise.race([promise, Promise.resolve(pending)]) === pending;
}

Deno.test("Allotments: one waits for others that may leave enough, and takes less if none is left", async () => {
  const all = new Allotments(100);
  assertEquals(await all.take(60), 60);
  const second = all.take(60);
  const third = all.take(60);
  assertEquals([await isPending(second), await isPending(third)], [true, true]);
  all.give(60, 10);
  assertEquals(await second, 60);
  assertEquals(await isPending(third), true);
  all.give(60, 60);
  assertEquals(await third, 30);
  all.give(30, 30);
  assertEquals([all.spent, all.left, await all.take(5)], [100, 0, 0]);
});
