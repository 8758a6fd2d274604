import { assertEquals, assertRejects } from "@std/assert";
import { MemorySemaphore } from "./memory_semaphore.ts";

const NEVER = new AbortController().signal;

Deno.test("MemorySemaphore: work waits for its share in the order in which it asked", async () => {
  const memory = new MemorySemaphore(10);
  const first = await memory.take(8, NEVER);
  const order: string[] = [];
  const large = memory.take(9, NEVER).then((share) => {
    order.push("large");
    return share;
  });
  const small = memory.take(2, NEVER).then((share) => {
    order.push("small");
    return share;
  });
  await Promise.resolve();
  assertEquals(order, []);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await large)[Symbol.dispose]();
  (await small)[Symbol.dispose]();
  assertEquals([order, memory.available], [["large", "small"], 10]);
});

Deno.test("MemorySemaphore: a share larger than the memory is all of it, and an aborted wait gives up its place", async () => {
  const memory = new MemorySemaphore(10);
  const all = await memory.take(100, NEVER);
  assertEquals(memory.available, 0);
  const leaving = new AbortController();
  const waiting = memory.take(5, leaving.signal);
  const next = memory.take(1, NEVER);
  leaving.abort(new Error("gone"));
  await assertRejects(() => waiting, Error, "gone");
  await assertRejects(() => memory.take(1, leaving.signal), Error, "gone");
  all[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  assertEquals(memory.available, 10);
});
