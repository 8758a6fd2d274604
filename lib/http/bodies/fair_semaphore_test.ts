import { assertEquals, assertRejects } from "@std/assert";
import { BusyError } from "../../platform/busy_error.ts";
import { FakeRuntime, flushMicrotasks } from "../../../tests/support/fake_runtime.ts";
import { FairSemaphore, type FairSemaphoreOptions } from "./fair_semaphore.ts";

const RULES: FairSemaphoreOptions = {
  ...{
    permits: 6,
    maxPerTenant: 3,
    maxPerAddress: 4,
    reserved: 1,
    maxWaitingPerTenant: 2,
    maxWaitMs: 5_000,
  },
};

function world(rules: Partial<FairSemaphoreOptions> = {}) {
  const slots = new FairSemaphore({ ...RULES, ...rules });
  const runtime = new FakeRuntime();
  /** Callers that hold a slot now, in the order in which they got it. */
  const inside: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (name: string, address = name) => {
    const tenant = name.replace(/\d+$/, "");
    return slots.run({ holder: { tenant, address }, runtime }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      inside.push(name);
      await promise;
      inside.splice(inside.indexOf(name), 1);
    });
  };
  const leave = async (name: string) => {
    ends.get(name)!();
    await flushMicrotasks();
  };
  return { slots, runtime, inside, enter, leave };
}

Deno.test("FairSemaphore: a tenant gets its share, then waits, then is rejected", async () => {
  const { slots, inside, enter } = world();
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) void enter(name);
  await flushMicrotasks();
  assertEquals([inside, slots.waiting], [["a1", "a2", "a3"], 2]);
  await assertRejects(() => enter("a6"), BusyError, "queue is full");
  void enter("b1");
  await flushMicrotasks();
  assertEquals(inside.at(-1), "b1");
});

Deno.test("FairSemaphore: reserves the last permits for tenants without one", async () => {
  const { inside, enter } = world({ permits: 6, reserved: 2 });
  for (const name of ["a1", "a2", "b1", "b2", "a3"]) void enter(name);
  await flushMicrotasks();
  assertEquals(inside, ["a1", "a2", "b1", "b2"]);
  void enter("c1");
  void enter("d1");
  await flushMicrotasks();
  assertEquals(inside.slice(4), ["c1", "d1"]);
});

Deno.test("FairSemaphore: limits an address, except for tenants without a permit", async () => {
  const { inside, enter } = world({ permits: 9, maxPerAddress: 3 });
  for (const name of ["a1", "a2", "b1", "b2", "c1"]) void enter(name, "one");
  void enter("b3", "two");
  await flushMicrotasks();
  assertEquals(inside, ["a1", "a2", "b1", "c1", "b3"]);
});

Deno.test("FairSemaphore: a released permit goes to the waiting tenant with the fewest", async () => {
  const { inside, enter, leave } = world({
    permits: 4,
    maxPerTenant: 4,
    maxPerAddress: 4,
    reserved: 0,
  });
  for (const name of ["a1", "a2", "a3", "b1", "a4", "b2", "c1"]) void enter(name);
  await flushMicrotasks();
  await leave("a1");
  assertEquals(inside, ["a2", "a3", "b1", "c1"]);
  await leave("a2");
  // Both hold one by now, and the first of them has waited longer.
  assertEquals(inside, ["a3", "b1", "c1", "a4"]);
  await leave("a3");
  assertEquals(inside.at(-1), "b2");
});

Deno.test("FairSemaphore: a caller that waits too long is rejected and never gets a permit", async () => {
  const { slots, runtime, inside, enter, leave } = world();
  for (const name of ["a1", "a2", "a3"]) void enter(name);
  const late = assertRejects(() => enter("a4"), BusyError, "in time");
  await runtime.advance(5_000);
  await late;
  await leave("a1");
  assertEquals([inside, slots.waiting], [["a2", "a3"], 0]);
});

Deno.test("FairSemaphore: failed work releases its permit", async () => {
  const { slots, runtime } = world({ permits: 1, reserved: 0 });
  const holder = { tenant: "a", address: "a" };
  const fail = () => slots.run({ holder, runtime }, () => Promise.reject(new Error("no")));
  await assertRejects(fail, Error, "no");
  await assertRejects(fail, Error, "no");
  assertEquals(runtime.sleeping, 0);
});
