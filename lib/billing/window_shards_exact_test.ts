import { assert, assertEquals } from "@std/assert";
import { valuesOf } from "@/tests/support/admissions.ts";
import { expiringKv } from "@/tests/support/expiring_kv.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS } from "@/tests/support/run_requests.ts";
import {
  ADDRESS,
  BACKEND,
  divideWindows,
  type Outcome,
  type WindowProcess,
  windowProcesses,
} from "@/tests/support/window_processes.ts";
import { keys } from "../store/keys/keys.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";

const LIMITS: Limits = {
  ...OPEN_LIMITS,
  ...{ ipRequests: 18, ipMessages: 8, ipResumes: 4, keyRequests: 15, streams: 800 },
};
const BARE = { address: ADDRESS };

type Scope = "ip" | "ip_chat" | "ip_resume" | "key";
type Act = "ask" | "bare" | "chat" | "resume";

/** The windows that count an action. */
const COUNTED_IN: Record<Act, readonly Scope[]> = {
  ask: ["ip", "key"],
  bare: ["ip"],
  chat: ["ip", "key", "ip_chat"],
  resume: ["ip_resume"],
};

/** What a single shared record would decide. */
class Model {
  readonly counted: Record<Scope, number[]> = { ip: [], ip_chat: [], ip_resume: [], key: [] };

  /** The full windows, with the milliseconds until each has a free place. */
  full(act: Act, { limits, now }: { limits: Limits; now: number }): string[] {
    return COUNTED_IN[act].flatMap((scope) => {
      const live = this.live(scope, now);
      const limit = limitOf(scope, limits);
      if (live.length < limit) return [];
      return [`${scope} ${live[live.length - limit]! + WINDOW_MS + 1 - now}`];
    });
  }

  count(act: Act, now: number): void {
    for (const scope of COUNTED_IN[act]) this.counted[scope].push(now);
  }

  live(scope: Scope, now: number): number[] {
    return this.counted[scope].filter((at) => now - at <= WINDOW_MS);
  }

  /** The maximum in any minute. */
  most(scope: Scope): number {
    const times = this.counted[scope];
    const counts = times.map((end) =>
      times.filter((at) => at <= end && end - at <= WINDOW_MS).length
    );
    return Math.max(0, ...counts);
  }
}

function limitOf(scope: Scope, limits: Limits): number {
  if (scope === "ip") return limits.ipRequests;
  if (scope === "ip_chat") return limits.ipMessages;
  return scope === "key" ? limits.keyRequests : limits.ipResumes;
}

function perform(process: WindowProcess, act: Act, limits: Limits): Promise<Outcome> {
  if (act === "chat") return process.chat(limits);
  if (act === "resume") return process.resume(limits);
  return process.ask(limits, act === "bare" ? BARE : BACKEND);
}

const shown = (outcome: Outcome) =>
  outcome === "counted" ? outcome : `${outcome.rejected.scope} ${outcome.rejected.retryAfterMs}`;

/** The same window, but an earlier free place. */
function isSooner(got: string, full: string): boolean {
  const [[scope, ms], [fullScope, fullMs]] = [got.split(" "), full.split(" ")];
  return scope === fullScope && Number(ms) < Number(fullMs);
}

/** Mostly short steps; sometimes a pause after which records have expired or a new day has started. */
function pause(random: () => number): number {
  const kind = random();
  if (kind < 0.55) return 0;
  if (kind < 0.95) return Math.floor(random() * 6_000);
  if (kind < 0.98) return Math.floor(random() * 5 * 60_000);
  return Math.floor(random() * 100 * 60_000);
}

const ACTS: readonly Act[] = ["ask", "ask", "bare", "chat", "chat", "resume"];

/** Three processes that have divided the windows, on a store whose records expire by the test's clock. */
async function begin(memory: Deno.Kv, seed: number) {
  const random = seeded(seed);
  const { open, advance, now } = windowProcesses(Date.UTC(2026, 0, 2, 23, 30));
  const { kv, expire } = expiringKv(memory, now);
  const processes = [open(kv), open(kv), open(kv)];
  await divideWindows(processes);
  const wait = async (ms: number) => {
    advance(ms);
    await expire();
  };
  await wait(WINDOW_MS + 1);
  const any = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]!;
  return { random, any, processes, restart: () => open(kv), now, wait };
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  Deno.test(`WindowShards: three processes decide as one would, to the millisecond (seed ${seed})`, async () => {
    using memory = await Deno.openKv(":memory:");
    const { random, any, processes, restart, now, wait } = await begin(memory, seed);
    const model = new Model();
    let limits = LIMITS;
    let changedAt = 0;
    const seen = new Set<string>();
    for (let step = 0; step < 700; step++) {
      await wait(pause(random));
      if (random() < 0.01) processes[Math.floor(random() * 3)] = restart();
      if (random() < 0.02) {
        changedAt = now();
        limits = { ...LIMITS, keyRequests: any([4, 15, 30]), ipMessages: any([1, 8, 15]) };
      }
      const act = any(ACTS);
      const full = model.full(act, { limits, now: now() });
      const got = shown(await perform(any(processes), act, limits));
      const isRight = full.length === 0
        ? got === "counted"
        // If a window had another limit meanwhile, a process may remember an earlier time.
        : full.includes(got) ||
          now() - changedAt <= WINDOW_MS && full.some((one) => isSooner(got, one));
      assert(isRight, `step ${step}: ${act} is ${got}, full are ${full}`);
      if (got === "counted") model.count(act, now());
      seen.add(got.split(" ")[0]!);
    }
    assertEquals([...seen].sort(), ["counted", "ip", "ip_chat", "ip_resume", "key"]);
  });

  Deno.test(`WindowShards: three concurrent processes never exceed the limit in any minute (seed ${seed})`, async () => {
    using memory = await Deno.openKv(":memory:");
    const { random, any, processes, now, wait } = await begin(memory, seed);
    const model = new Model();
    let refusals = 0;
    for (let step = 0; step < 120; step++) {
      await wait(pause(random));
      const acts = Array.from({ length: 1 + Math.floor(random() * 12) }, () => any(ACTS));
      const outcomes = await Promise.all(acts.map((act) => perform(any(processes), act, LIMITS)));
      acts.forEach((act, i) => {
        if (outcomes[i] === "counted") model.count(act, now());
      });
      for (const outcome of outcomes) {
        if (outcome === "counted") continue;
        refusals++;
        const scope = outcome.rejected.scope as Scope;
        // No request is rejected while any shard has a free place.
        assertEquals(model.live(scope, now()).length, limitOf(scope, LIMITS), scope);
      }
    }
    assert(refusals > 20);
    for (const scope of ["ip", "ip_chat", "ip_resume", "key"] as const) {
      assert(model.most(scope) <= limitOf(scope, LIMITS), scope);
    }
  });
}

Deno.test("WindowShards: the first shard outlives all allotments", async () => {
  using memory = await Deno.openKv(":memory:");
  const { processes, now, wait } = await begin(memory, 1);
  const [one, other] = processes as [WindowProcess, WindowProcess];
  const limits = { ...LIMITS, keyRequests: 1_000 };
  const model = new Model();
  // The first shard is only read, except when places are divided.
  for (let minute = 0; minute < 180; minute++) {
    for (const process of [one, other, one]) {
      const outcome = await process.ask(limits);
      if (outcome === "counted") model.count("ask", now());
    }
    await wait(20_000);
  }
  const first = await memory.get<{ allotments?: unknown }>(keys.addressWindows(ADDRESS));
  assert(first.value?.allotments !== undefined);
  assertEquals(model.most("ip") <= limits.ipRequests, true);
  assertEquals(model.counted.ip.length, 540);
  // After a pause the address's records have expired, and the next process uses one record again.
  await wait(61 * 60_000);
  assertEquals(await valuesOf(memory, ["address_windows"]), []);
});
