import { assertEquals, assertRejects } from "@std/assert";
import { FairQueue, type FairQueueOptions } from "./fair_queue.ts";
import { BusyError } from "./busy_error.ts";

/** A queue with tasks that the test ends; `started` is the order in which they began. */
function heldQueue(
  options: Omit<FairQueueOptions, "concurrencyPerClient">,
  slotsPerClient = options.concurrency,
) {
  const queue = new FairQueue({ ...options, concurrencyPerClient: slotsPerClient });
  const started: string[] = [];
  const running: (() => void)[] = [];
  const run = (name: string, client = name.split(" ")[0]!, preferred = false) => {
    const done = queue.run({ client, preferred }, () => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      running.push(resolve);
      return promise;
    });
    return done.then(() => "done", (error) => error instanceof BusyError ? "busy" : "failed");
  };
  /** Ends the oldest running task and lets the next one begin. */
  const endOne = async () => {
    running.shift()?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { queue, started, run, endOne };
}

Deno.test("FairQueue: a new client's first task is next, however many tasks another client has waiting", async () => {
  const { started, run, endOne } = heldQueue({
    concurrency: 1,
    maxWaiting: 64,
    maxWaitingPerClient: 16,
  });
  const all = Array.from({ length: 17 }, (_, n) => run(`flood ${n}`));
  all.push(run("owner 0"));
  await Promise.resolve();
  for (let n = 0; n < 2; n++) await endOne();
  assertEquals(started, ["flood 0", "flood 1", "owner 0"]);
  while (started.length < 18) await endOne();
  await endOne();
  assertEquals(new Set(await Promise.all(all)), new Set(["done"]));
});

Deno.test("FairQueue: a client cannot take all slots, which leaves one for a new client", async () => {
  const bounds = { concurrency: 2, maxWaiting: 9, maxWaitingPerClient: 9 };
  const { started, run, endOne } = heldQueue(bounds, 1);
  for (let n = 0; n < 4; n++) void run(`flood ${n}`);
  void run("owner 0");
  await Promise.resolve();
  assertEquals(started, ["flood 0", "owner 0"]);
  for (let n = 0; n < 4; n++) await endOne();
  assertEquals(started, ["flood 0", "owner 0", "flood 1", "flood 2", "flood 3"]);
});

Deno.test("FairQueue: clients take turns, and one client's tasks keep their order", async () => {
  const { started, run, endOne } = heldQueue({
    concurrency: 2,
    maxWaiting: 9,
    maxWaitingPerClient: 9,
  });
  for (const name of ["x 0", "x 1", "a 0", "a 1", "a 2", "b 0", "b 1", "c 0"]) void run(name);
  for (let n = 0; n < 8; n++) await endOne();
  assertEquals(started.slice(2), ["a 0", "b 0", "c 0", "a 1", "b 1", "a 2"]);
});

Deno.test("FairQueue: a client past its own bound is rejected while others are admitted", async () => {
  const { run, endOne, started } = heldQueue({
    concurrency: 1,
    maxWaiting: 9,
    maxWaitingPerClient: 2,
  });
  void run("a 0");
  void run("a 1");
  void run("a 2");
  assertEquals(await run("a 3"), "busy");
  void run("b 0");
  for (let n = 0; n < 4; n++) await endOne();
  assertEquals(started, ["a 0", "a 1", "b 0", "a 2"]);
});

Deno.test("FairQueue: when the queue is full, the client with most tasks loses its newest", async () => {
  const { queue, run, started, endOne } = heldQueue({
    concurrency: 1,
    maxWaiting: 4,
    maxWaitingPerClient: 4,
  });
  void run("a 0");
  const flood = [1, 2, 3].map((n) => run(`a ${n}`));
  void run("b 0");
  void run("newcomer 0");
  assertEquals(await flood[2], "busy");
  assertEquals(queue.waiting, 4);
  for (let n = 0; n < 5; n++) await endOne();
  assertEquals(started, ["a 0", "a 1", "b 0", "newcomer 0", "a 2"]);
});

Deno.test("FairQueue: when every client has one task, a full queue rejects the next", async () => {
  const { run } = heldQueue({ concurrency: 1, maxWaiting: 2, maxWaitingPerClient: 2 });
  void run("a 0");
  void run("b 0");
  void run("c 0");
  assertEquals(await run("d 0"), "busy");
});

Deno.test("FairQueue: callers with a credential neither wait for the other lane nor starve it", async () => {
  const { started, run, endOne } = heldQueue({
    concurrency: 1,
    maxWaiting: 2,
    maxWaitingPerClient: 1,
  });
  void run("x 0");
  void run("a 0");
  void run("b 0");
  void run("known 0", "known", true);
  void run("user 0", "user", true);
  assertEquals(await run("c 0"), "busy");
  for (let n = 0; n < 5; n++) await endOne();
  assertEquals(started, ["x 0", "known 0", "a 0", "user 0", "b 0"]);
});

Deno.test("FairQueue: a task that fails frees its slot", async () => {
  const queue = new FairQueue({
    ...{ concurrency: 1, concurrencyPerClient: 1 },
    ...{ maxWaiting: 1, maxWaitingPerClient: 1 },
  });
  const fail = () => queue.run({ client: "a" }, () => Promise.reject(new Error("it failed")));
  await assertRejects(fail, Error, "it failed");
  assertEquals(await queue.run({ client: "b" }, () => Promise.resolve("ran")), "ran");
});
