import { assertEquals, assertRejects } from "@std/assert";
import { BusyError, Semaphore } from "./semaphore.ts";

Deno.test("Semaphore lets no more in at once than it has slots, in order of arrival", async () => {
  const semaphore = new Semaphore(2, 10);
  const doors = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const entered: number[] = [];
  const runs = doors.map((door, n) =>
    semaphore.run(() => {
      entered.push(n);
      return door.promise;
    })
  );
  await Promise.resolve();
  assertEquals(entered, [0, 1]);
  doors[1]!.resolve();
  await runs[1];
  await Promise.resolve();
  assertEquals(entered, [0, 1, 2]);
  for (const door of doors) door.resolve();
  await Promise.all(runs);
  assertEquals(entered, [0, 1, 2, 3]);
});

Deno.test("Semaphore refuses at once when its queue is full, and recovers from a failure", async () => {
  const semaphore = new Semaphore(1, 0);
  const door = Promise.withResolvers<void>();
  const first = semaphore.run(() => door.promise);
  await assertRejects(() => semaphore.run(() => Promise.resolve()), BusyError);
  door.reject(new Error("the work failed"));
  await assertRejects(() => first, Error, "the work failed");
  assertEquals(await semaphore.run(() => Promise.resolve("free again")), "free again");
});
