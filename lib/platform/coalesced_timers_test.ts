import { assertEquals } from "@std/assert";
import { CoalescedTimers } from "./coalesced_timers.ts";

/** Alarms on a clock that a test moves, and how many timers they have set. */
function open() {
  let now = 1_000;
  let timer: { due: number; ring: () => void } | undefined;
  let made = 0;
  const alarms = new CoalescedTimers({
    now: () => now,
    setTimer: (ms, ring) => {
      made++;
      const own = timer = { due: now + ms, ring };
      return () => void (timer = timer === own ? undefined : timer);
    },
  });
  const advance = (ms: number) => {
    const end = now + ms;
    while (timer !== undefined && timer.due <= end) {
      const { due, ring } = timer;
      timer = undefined;
      now = Math.max(now, due);
      ring();
    }
    now = end;
  };
  return {
    alarms,
    advance,
    /** The clock goes on, and no timer rings. */
    stall: (ms: number) => void (now += ms),
    now: () => now,
    made: () => made,
    pending: () => timer !== undefined,
  };
}

Deno.test("Alarms: each rings once, never early, and at most 50 ms late", () => {
  const { alarms, advance, now } = open();
  const late: number[] = [];
  for (const ms of [1_000, 1_001, 1_049, 1_050, 2_000, 30_000, 5_000]) {
    const due = now() + ms;
    alarms.setTimer(ms, () => late.push(now() - due));
  }
  advance(40_000);
  assertEquals(late.length, 7);
  assertEquals(late.filter((ms) => ms < 0 || ms >= 50), []);
});

Deno.test("Alarms: what is called off does not ring, and with the last of them the timer goes", () => {
  const { alarms, advance, pending } = open();
  const rung: string[] = [];
  const callOff = ["a", "b"].map((name) => alarms.setTimer(1_000, () => rung.push(name)));
  callOff[0]!();
  advance(2_000);
  assertEquals([rung, pending()], [["b"], false]);
  const last = alarms.setTimer(1_000, () => rung.push("c"));
  last();
  last();
  assertEquals(pending(), false);
  advance(2_000);
  assertEquals(rung, ["b"]);
});

Deno.test("Alarms: after the process stood still, what came meanwhile calls off first", () => {
  const { alarms, advance, stall, pending } = open();
  const rung: string[] = [];
  const callOff = alarms.setTimer(5_000, () => rung.push("answered"));
  alarms.setTimer(5_000, () => rung.push("hanging"));
  stall(6_000);
  advance(0);
  assertEquals(rung, []);
  callOff();
  advance(49);
  assertEquals(rung, []);
  advance(1);
  assertEquals([rung, pending()], [["hanging"], false]);
});

Deno.test("Alarms: a process that stands still again and again ends what is due all the same", () => {
  const { alarms, advance, stall } = open();
  let rung = 0;
  alarms.setTimer(5_000, () => rung++);
  for (let n = 0; n < 2; n++) {
    stall(6_000);
    advance(0);
  }
  assertEquals(rung, 1);
});

Deno.test("Alarms: one that rings may call off another that is due as well", () => {
  const { alarms, advance } = open();
  const rung: string[] = [];
  const callOff: (() => void)[] = [];
  const ring = (name: string) => () => {
    rung.push(name);
    for (const off of callOff) off();
    alarms.setTimer(50, () => rung.push("later"));
  };
  for (const name of ["a", "b"]) callOff.push(alarms.setTimer(1_000, ring(name)));
  callOff.push(alarms.setTimer(1_049, ring("c")));
  advance(2_000);
  assertEquals(rung, ["a", "later"]);
});

Deno.test("Alarms: many share one timer, and a sooner one is not missed", () => {
  const { alarms, advance, made } = open();
  const rung: number[] = [];
  for (const ms of [5_000, 5_000, 9_000, 2_000]) alarms.setTimer(ms, () => rung.push(ms));
  assertEquals(made(), 2);
  advance(10_000);
  assertEquals(rung, [2_000, 5_000, 5_000, 9_000]);
  assertEquals(made(), 4);
});

Deno.test("Alarms: one that sets another while it rings is heard", () => {
  const { alarms, advance } = open();
  let rings = 0;
  const again = () => void (++rings < 3 && alarms.setTimer(1_000, again));
  alarms.setTimer(1_000, again);
  advance(5_000);
  assertEquals(rings, 3);
});

Deno.test("Alarms: one that throws keeps no other from ringing, and is told to the process", () => {
  const { alarms, advance } = open();
  const rung: string[] = [];
  const told: unknown[] = [];
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    told.push(event.error);
  };
  const fault = new Error("a ring that fails");
  alarms.setTimer(1_000, () => {
    throw fault;
  });
  for (const ms of [1_000, 1_049]) alarms.setTimer(ms, () => rung.push("other"));
  globalThis.addEventListener("error", onError);
  try {
    advance(2_000);
  } finally {
    globalThis.removeEventListener("error", onError);
  }
  assertEquals([rung, told], [["other", "other"], [fault]]);
});
