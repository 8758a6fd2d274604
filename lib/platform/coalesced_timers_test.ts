import { assertEquals } from "@std/assert";
import { CoalescedTimers } from "./coalesced_timers.ts";

/** Timers on a fake clock, which counts the platform timers they set. */
function open() {
  let now = 1_000;
  let timer: { due: number; callback: () => void } | undefined;
  let created = 0;
  const clock = {
    now: () => now,
    setTimer: (ms: number, callback: () => void) => {
      created++;
      const own = timer = { due: now + ms, callback };
      return () => void (timer = timer === own ? undefined : timer);
    },
  };
  const timers = new CoalescedTimers({ clock });
  const advance = (ms: number) => {
    const end = now + ms;
    while (timer !== undefined && timer.due <= end) {
      const { due, callback } = timer;
      timer = undefined;
      now = Math.max(now, due);
      callback();
    }
    now = end;
  };
  return {
    timers,
    advance,
    /** Moves the clock without calling timers. */
    suspend: (ms: number) => void (now += ms),
    now: () => now,
    created: () => created,
    pending: () => timer !== undefined,
  };
}

Deno.test("CoalescedTimers: each callback runs once, never early and at most 50 ms late", () => {
  const { timers, advance, now } = open();
  const late: number[] = [];
  for (const ms of [1_000, 1_001, 1_049, 1_050, 2_000, 30_000, 5_000]) {
    const due = now() + ms;
    timers.setTimer(ms, () => late.push(now() - due));
  }
  advance(40_000);
  assertEquals(late.length, 7);
  assertEquals(late.filter((ms) => ms < 0 || ms >= 50), []);
});

Deno.test("CoalescedTimers: cancelled callbacks do not run, and the last cancellation clears the timer", () => {
  const { timers, advance, pending } = open();
  const called: string[] = [];
  const cancel = ["a", "b"].map((name) => timers.setTimer(1_000, () => called.push(name)));
  cancel[0]!();
  advance(2_000);
  assertEquals([called, pending()], [["b"], false]);
  const last = timers.setTimer(1_000, () => called.push("c"));
  last();
  last();
  assertEquals(pending(), false);
  advance(2_000);
  assertEquals(called, ["b"]);
});

Deno.test("CoalescedTimers: after a suspension, pending events can cancel timers first", () => {
  const { timers, advance, suspend, pending } = open();
  const called: string[] = [];
  const cancel = timers.setTimer(5_000, () => called.push("answered"));
  timers.setTimer(5_000, () => called.push("hanging"));
  suspend(6_000);
  advance(0);
  assertEquals(called, []);
  cancel();
  advance(49);
  assertEquals(called, []);
  advance(1);
  assertEquals([called, pending()], [["hanging"], false]);
});

Deno.test("CoalescedTimers: repeated suspensions do not postpone a timer forever", () => {
  const { timers, advance, suspend } = open();
  let calls = 0;
  timers.setTimer(5_000, () => calls++);
  for (let n = 0; n < 2; n++) {
    suspend(6_000);
    advance(0);
  }
  assertEquals(calls, 1);
});

Deno.test("CoalescedTimers: a callback can cancel another one that is due", () => {
  const { timers, advance } = open();
  const called: string[] = [];
  const cancel: (() => void)[] = [];
  const callback = (name: string) => () => {
    called.push(name);
    for (const each of cancel) each();
    timers.setTimer(50, () => called.push("later"));
  };
  for (const name of ["a", "b"]) cancel.push(timers.setTimer(1_000, callback(name)));
  cancel.push(timers.setTimer(1_049, callback("c")));
  advance(2_000);
  assertEquals(called, ["a", "later"]);
});

Deno.test("CoalescedTimers: callbacks share one timer, and an earlier one replaces it", () => {
  const { timers, advance, created } = open();
  const called: number[] = [];
  for (const ms of [5_000, 5_000, 9_000, 2_000]) timers.setTimer(ms, () => called.push(ms));
  assertEquals(created(), 2);
  advance(10_000);
  assertEquals(called, [2_000, 5_000, 5_000, 9_000]);
  assertEquals(created(), 4);
});

Deno.test("CoalescedTimers: a callback can set another timer", () => {
  const { timers, advance } = open();
  let calls = 0;
  const again = () => void (++calls < 3 && timers.setTimer(1_000, again));
  timers.setTimer(1_000, again);
  advance(5_000);
  assertEquals(calls, 3);
});

Deno.test("CoalescedTimers: an error in one callback is reported and the others run", () => {
  const { timers, advance } = open();
  const called: string[] = [];
  const reported: unknown[] = [];
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    reported.push(event.error);
  };
  const failure = new Error("failed callback");
  timers.setTimer(1_000, () => {
    throw failure;
  });
  for (const ms of [1_000, 1_049]) timers.setTimer(ms, () => called.push("other"));
  globalThis.addEventListener("error", onError);
  try {
    advance(2_000);
  } finally {
    globalThis.removeEventListener("error", onError);
  }
  assertEquals([called, reported], [["other", "other"], [failure]]);
});
