import { assertEquals } from "@std/assert";
import { flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { SendSchedule } from "./send_schedule.ts";

/** A schedule that counts what it sends, with a timer that the test fires. */
function open({ withTimer = true } = {}) {
  let sent = 0;
  const timers: { ms: number; callback: () => void }[] = [];
  const setTimer = (ms: number, callback: () => void) => {
    const timer = { ms, callback };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  const schedule = new SendSchedule(() => sent++, withTimer ? setTimer : undefined);
  return { schedule, timers, sent: () => sent };
}

Deno.test("SendSchedule: operations of one turn are sent together at its end", async () => {
  const { schedule, sent } = open();
  schedule.request({ canWait: false });
  schedule.request({ canWait: false });
  assertEquals(sent(), 0);
  await flushMicrotasks();
  assertEquals(sent(), 1);
});

Deno.test("SendSchedule: operations that can wait are sent together after 20 ms", async () => {
  const { schedule, timers, sent } = open();
  schedule.request({ canWait: true });
  await flushMicrotasks();
  schedule.request({ canWait: true });
  assertEquals([sent(), timers.map(({ ms }) => ms)], [0, [20]]);
  timers[0]!.callback();
  assertEquals([sent(), timers.length], [1, 0]);
});

Deno.test("SendSchedule: an urgent operation takes the waiting ones along", async () => {
  const { schedule, timers, sent } = open();
  schedule.request({ canWait: true });
  schedule.request({ canWait: false });
  await flushMicrotasks();
  assertEquals([sent(), timers.length], [1, 0]);
});

Deno.test("SendSchedule: without a timer nothing waits", async () => {
  const { schedule, sent } = open({ withTimer: false });
  schedule.request({ canWait: true });
  await flushMicrotasks();
  assertEquals(sent(), 1);
});
