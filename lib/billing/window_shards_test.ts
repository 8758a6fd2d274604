import { assert, assertEquals } from "@std/assert";
import { TENANT, valuesOf } from "@/tests/support/admissions.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS } from "@/tests/support/run_requests.ts";
import {
  ADDRESS,
  BACKEND,
  divideWindows,
  type Outcome,
  tallyOf,
  windowProcesses,
} from "@/tests/support/window_processes.ts";
import { keys } from "../store/keys/keys.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { type StoredWindows, windowShard } from "./request_windows.ts";
import { liveCount } from "./window_allotment.ts";

const LIMITS: Limits = {
  ...OPEN_LIMITS,
  ...{ ipRequests: 50, ipMessages: 8, ipResumes: 12, keyRequests: 40, streams: 500 },
};
/** When a window is empty again. */
const LATER_MS = WINDOW_MS + 1;

async function times(n: number, ask: () => Promise<Outcome>): Promise<Record<string, number>> {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < n; i++) outcomes.push(await ask());
  return tallyOf(outcomes);
}

const stored = (kv: Deno.Kv) =>
  valuesOf<StoredWindows>(kv, keys.addressWindows(ADDRESS).slice(0, 1));

Deno.test("WindowShards: without frequent conflicts the windows stay one record", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv)];
  for (let i = 0; i < 4; i++) {
    await one.ask(LIMITS);
    await other.ask(LIMITS);
  }
  advance(LATER_MS);
  assertEquals(await times(60, () => one.ask(LIMITS)), { counted: 40, key: 20 });
  assertEquals((await stored(kv)).map((windows) => Object.keys(windows).sort()), [
    ["all", "chat", "ids", "v"],
  ]);
  assertEquals((await kv.get(keys.apiKeyWindow(TENANT, "key-1"))).value !== null, true);
  assertEquals((await valuesOf(kv, keys.apiKeyWindows(TENANT))).length, 1);
});

Deno.test("WindowShards: any single process can use the last request, message and resumed stream", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const processes = [open(kv), open(kv), open(kv)];
  await divideWindows(processes);
  for (const { ask, chat, resume } of processes) {
    advance(LATER_MS);
    assertEquals(await times(10, () => chat(LIMITS)), { counted: 8, ip_chat: 2 });
    assertEquals(await times(40, () => ask(LIMITS)), { counted: 32, key: 8 });
    const bare = { address: ADDRESS };
    assertEquals(await times(20, () => ask(LIMITS, bare)), { counted: 10, ip: 10 });
    assertEquals(await times(15, () => resume(LIMITS)), { counted: 12, ip_resume: 3 });
  }
});

Deno.test("WindowShards: requests that wait together in one process get their places together", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const processes = Array.from({ length: 7 }, () => open(kv));
  const limits = { ...LIMITS, ipRequests: 400, keyRequests: 300 };
  await divideWindows(processes);
  advance(LATER_MS / 2);
  for (const { ask } of processes) await ask(limits);
  advance(LATER_MS / 2 + 1);
  const requests = Array.from({ length: 320 }, () => processes[0]!.ask(limits));
  assertEquals(tallyOf(await Promise.all(requests)), { counted: 293, key: 27 });
});

Deno.test("WindowShards: a dead process's unused places are free immediately", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const [dying, alive] = [open(kv), open(kv)];
  await divideWindows([dying, alive]);
  advance(LATER_MS);
  await dying.ask(LIMITS);
  assertEquals(await times(41, () => alive.ask(LIMITS)), { counted: 39, key: 2 });
});

Deno.test("WindowShards: changed limits apply immediately in every process", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv)];
  await divideWindows([one, other]);
  advance(LATER_MS);
  assertEquals(await times(4, () => one.ask(LIMITS)), { counted: 4 });
  const lowered = { ...LIMITS, keyRequests: 6, ipMessages: 1 };
  assertEquals(await times(3, () => other.chat(lowered)), { counted: 1, ip_chat: 2 });
  assertEquals(await times(3, () => other.ask(lowered)), { counted: 1, key: 2 });
  assertEquals(await times(3, () => one.ask(lowered)), { key: 3 });
  const raised = { ...LIMITS, keyRequests: 45, ipMessages: 10 };
  assertEquals(await times(11, () => one.chat(raised)), { counted: 9, ip_chat: 2 });
  assertEquals(await times(32, () => other.ask(raised)), { counted: 30, key: 2 });
});

Deno.test("WindowShards: Retry-After is the time until any shard has a free place", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv)];
  await divideWindows([one, other]);
  advance(LATER_MS);
  await one.ask(LIMITS);
  advance(10_000);
  assertEquals(await times(39, () => other.ask(LIMITS)), { counted: 39 });
  for (const { ask } of [other, one]) {
    assertEquals(await ask(LIMITS), {
      rejected: { scope: "key", limit: 40, windowSeconds: 60, retryAfterMs: WINDOW_MS - 9_999 },
    });
  }
  advance(WINDOW_MS - 9_999);
  assertEquals(await times(2, () => other.ask(LIMITS)), { counted: 1, key: 1 });
});

Deno.test("WindowShards: a flood of a full window reads and writes nothing", async () => {
  using memory = await Deno.openKv(":memory:");
  const { kv, traffic } = flakyKv(memory, { random: () => 1 });
  const { open, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv)];
  const limits = { ...LIMITS, keyRequests: 100 };
  await divideWindows([one, other]);
  advance(LATER_MS);
  assertEquals(await times(8, () => one.chat(limits)), { counted: 8 });
  assertEquals(await times(12, () => one.resume(limits)), { counted: 12 });
  assertEquals(await times(42, () => other.ask(limits)), { counted: 42 });
  const ways = [one.ask, one.resume, other.ask, other.resume];
  // Each process has to find out once.
  for (const ask of ways) assert(await ask(limits) !== "counted");
  const before = { ...traffic };
  for (const ask of ways) assertEquals((await times(50, () => ask(limits))).counted, undefined);
  assertEquals(traffic, before);
  advance(LATER_MS);
  for (const ask of ways) assertEquals(await ask(limits), "counted");
});

Deno.test("WindowShards: an address whose shards are full is rejected before any work", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv)];
  await divideWindows([one, other]);
  advance(LATER_MS);
  const bare = { address: ADDRESS };
  const flood = (scope: "ip" | "ip_resume") =>
    one.windows.knownFull(ADDRESS, { limits: LIMITS, scope });
  await times(25, () => one.ask(LIMITS, bare));
  assertEquals(await times(30, () => other.ask(LIMITS, bare)), { counted: 25, ip: 5 });
  assertEquals(flood("ip"), undefined);
  await one.ask(LIMITS, bare);
  assertEquals(flood("ip")?.retryAfterMs, LATER_MS);
  assertEquals(flood("ip_resume"), undefined);
  advance(LATER_MS);
  assertEquals(flood("ip"), undefined);
});

Deno.test("WindowShards: the status shows the whole limit and what this process can still admit", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv)];
  await divideWindows([one, other]);
  advance(LATER_MS);
  await one.ask(LIMITS);
  await other.ask(LIMITS);
  const { ip, key } = await one.admission.requests.countRequest({
    id: 9e6,
    caller: BACKEND,
    limits: LIMITS,
  });
  assertEquals([ip.limit, key?.limit], [50, 40]);
  assert(ip.remaining > 0 && ip.remaining <= 47, `${ip.remaining}`);
  assert(key!.remaining > 0 && key!.remaining <= 37, `${key!.remaining}`);
});

Deno.test("WindowShards: commits of unknown outcome count once", async () => {
  using memory = await Deno.openKv(":memory:");
  const { open, advance, now } = windowProcesses();
  const random = seeded(5);
  const bad = () => flakyKv(memory, { random, ambiguous: 0.2, locked: 0.1, turns: 4 }).kv;
  const processes = [open(bad()), open(bad()), open(bad())];
  await divideWindows(processes);
  advance(LATER_MS);
  const acts = Array.from({ length: 36 }, (_, i) => {
    const { ask, chat, resume } = processes[i % 3]!;
    return [ask, chat, resume][Math.floor(i / 3) % 3]!(LIMITS);
  });
  const outcomes = tallyOf(await Promise.all(acts));
  const { counted = 0, ...rejected } = outcomes;
  assertEquals([counted, rejected], [32, { ip_chat: 4 }]);
  const windows = await stored(memory);
  const count = (name: "all" | "chat" | "resumes") =>
    windows.reduce((sum, one) => sum + liveCount(windowShard(one, name), now()), 0);
  assertEquals([count("all"), count("chat"), count("resumes")], [20, 8, 12]);
});

Deno.test("WindowShards: processes whose clocks differ share one window", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv, { ahead: 30_000 })];
  await divideWindows([one, other]);
  advance(2 * LATER_MS);
  assertEquals(await times(25, () => other.ask(LIMITS)), { counted: 25 });
  assertEquals(await times(20, () => one.ask(LIMITS)), { counted: 15, key: 5 });
  assertEquals(await times(5, () => other.ask(LIMITS)), { key: 5 });
  advance(LATER_MS + 30_000);
  assertEquals(await times(41, () => one.ask(LIMITS)), { counted: 40, key: 1 });
});
