import { FakeTime, TimeError } from "@std/testing/time";
import { assert, assertEquals, assertFalse, assertInstanceOf, assertThrows } from "@std/assert";

Deno.test("FakeTime: the date moves only with the fake time", () => {
  using time = new FakeTime("2030-01-01T00:00:00Z");
  assertEquals(new Date().toISOString(), "2030-01-01T00:00:00.000Z");
  time.tick(1500);
  assertEquals(Date.now() - time.start, 1500);
  assertInstanceOf(new Date(), Date);
  assertEquals(new Date(0).valueOf(), 0);
  assertThrows(() => time.now = time.start, RangeError);
});

Deno.test("FakeTime: timers fall due in order, at their own time", () => {
  using time = new FakeTime(0);
  const log: string[] = [];
  const note = (name: string) => log.push(`${name}@${Date.now()}`);
  setTimeout(note, 20, "late");
  setTimeout(note, 10, "first");
  setTimeout(note, 10, "second");
  setTimeout(() => setTimeout(note, 5, "nested"), 10);
  clearTimeout(setTimeout(note, 1, "cleared"));
  time.tick(15);
  assertEquals(log, ["first@10", "second@10", "nested@15"]);
  time.tick(15);
  assertEquals(log.at(-1), "late@20");
});

Deno.test("FakeTime: an interval repeats until cleared, also from within", () => {
  using time = new FakeTime(0);
  const at: number[] = [];
  const id = setInterval(() => {
    at.push(Date.now());
    if (at.length === 3) clearInterval(id);
  }, 10);
  time.runAll();
  assertEquals(at, [10, 20, 30]);
  assertFalse(time.next());
});

Deno.test("FakeTime: the asynchronous moves let promises settle first", async () => {
  using time = new FakeTime(0);
  let done = false;
  Promise.resolve().then(() => setTimeout(() => done = true, 100));
  await time.tickAsync(99);
  assertFalse(done);
  await time.tickAsync(1);
  assert(done);
});

Deno.test("FakeTime: the real clock comes back, and is taken only once", () => {
  const before = globalThis.setTimeout;
  const time = new FakeTime(0);
  assertThrows(() => new FakeTime(), TimeError, "already faked");
  time.restore();
  assertEquals(globalThis.setTimeout, before);
  assert(Date.now() > 0);
  assertThrows(() => time.restore(), TimeError);
  assertThrows(() => FakeTime.restore(), TimeError);
  assertThrows(() => new FakeTime("not a date"), TypeError);
});
