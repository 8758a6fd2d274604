/** Request windows of more than 6,000 a minute, whose earlier times are packed. */
import { assert, assertEquals } from "@std/assert";
import { TENANT, valuesOf } from "@/tests/support/admissions.ts";
import { OPEN_LIMITS } from "@/tests/support/run_requests.ts";
import {
  BACKEND,
  divideWindows,
  type Outcome,
  tallyOf,
  type WindowProcess,
  windowProcesses,
} from "@/tests/support/window_processes.ts";
import { keys } from "../store/keys/keys.ts";
import { encodedSize } from "../store/values/value_codec.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { packStamps } from "./packed_stamps.ts";
import { type StoredWindows, windowShard } from "./request_windows.ts";
import { liveCount } from "./window_allotment.ts";

const MOST = 60_000;
const LIMITS: Limits = { ...OPEN_LIMITS, keyRequests: MOST };

const stored = (kv: Deno.Kv) => valuesOf<StoredWindows>(kv, keys.apiKeyWindows(TENANT));

async function askedBy(
  processes: readonly WindowProcess[],
  { count, limits = LIMITS }: { count: number; limits?: Limits },
): Promise<Record<string, number>> {
  const asked = Array.from(
    { length: count },
    (_, n) => processes[n % processes.length]!.ask(limits),
  );
  return tallyOf(await Promise.all(asked));
}

/** A minute of the key's requests, one each millisecond but for the last `free` ones. */
async function seedMinute(kv: Deno.Kv, { from, free = 0 }: { from: number; free?: number }) {
  const times = Array.from({ length: MOST - free }, (_, n) => from + n);
  const windows: StoredWindows = {
    v: 1,
    all: times.slice(-10),
    packed: { all: packStamps(undefined, times.slice(0, -10))! },
  };
  await kv.set(keys.apiKeyWindow(TENANT, BACKEND.apiKey!.id), windows);
}

/** Requests in the shard of a process, before the key's limit is divided. */
async function seedRequests(kv: Deno.Kv, { windows }: WindowProcess, times: number[]) {
  const { shards } = windows.assignShards(BACKEND);
  assert(shards !== undefined);
  const seeded: StoredWindows = { v: 1, all: [], packed: { all: packStamps(undefined, times)! } };
  await kv.set(keys.apiKeyWindow(TENANT, BACKEND.apiKey!.id, shards.key), seeded);
}

function waitOf(outcome: Outcome): number {
  assert(outcome !== "counted");
  assertEquals([outcome.rejected.scope, outcome.rejected.limit], ["key", LIMITS.keyRequests]);
  return outcome.rejected.retryAfterMs;
}

Deno.test("WindowCounter: one key takes exactly 60,000 requests a minute, to the millisecond", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, now, advance } = windowProcesses();
  const start = now();
  await seedMinute(kv, { from: start - MOST + 300, free: 300 });
  const [one, other] = [open(kv), open(kv)];
  assertEquals(await askedBy([one, other], { count: 400 }), { counted: 300, key: 100 });
  // The oldest request leaves 60 s and a millisecond after it came.
  assertEquals(waitOf(await one.ask(LIMITS)), 301);
  advance(300);
  assertEquals(await askedBy([one, other], { count: 3 }), { key: 3 });
  for (let ms = 0; ms < 5; ms++) {
    advance(1);
    assertEquals(await askedBy([other, one], { count: 3 }), { counted: 1, key: 2 });
  }
  const sizes = (await stored(kv)).map(encodedSize);
  assert(sizes.every((bytes) => bytes < 20_000), String(sizes));
});

Deno.test("WindowShards: three processes share 60,000 requests, move them, and outlive one of them", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, now, advance } = windowProcesses();
  const processes = [open(kv), open(kv), open(kv)] as const;
  await divideWindows(processes);
  advance(WINDOW_MS + 1);
  const [one, other, dead] = processes;
  const live = async () =>
    (await stored(kv)).reduce((sum, one) => sum + liveCount(windowShard(one, "all"), now()), 0);
  // One process dies after most of the requests; the load of the others moves between them.
  await seedRequests(kv, dead, Array.from({ length: 5_500 }, () => now()));
  const small = { ...LIMITS, keyRequests: 6_500 };
  for (const process of [other, one]) {
    assertEquals(await askedBy([process], { count: 250, limits: small }), { counted: 250 });
  }
  advance(1_000);
  assertEquals(await askedBy([one], { count: 600, limits: small }), { counted: 500, key: 100 });
  assertEquals(await live(), 6_500);
  // A larger limit applies at once, and so does a smaller one, whose windows are lists again.
  assertEquals(await askedBy([other], { count: 300 }), { counted: 300 });
  const lowered = { ...LIMITS, keyRequests: 1_000 };
  assertEquals(await askedBy([one, other], { count: 10, limits: lowered }), { key: 10 });
  advance(WINDOW_MS - 1_000 + 1);
  assertEquals(await live(), 800);
  assertEquals(await askedBy([other, one], { count: 300, limits: lowered }), {
    counted: 200,
    key: 100,
  });
  advance(WINDOW_MS + 1);
  assertEquals(await askedBy([one, other], { count: 1_100, limits: lowered }), {
    counted: 1_000,
    key: 100,
  });
  assertEquals(
    (await stored(kv)).filter((one) => liveCount(windowShard(one, "all"), now()) > 0)
      .every(({ packed }) => packed === undefined),
    true,
  );
});

Deno.test("WindowShards: a full window of 60,000 is rejected with the wait for its first free place", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, now, advance } = windowProcesses();
  const [one, other] = [open(kv), open(kv)];
  await divideWindows([one, other]);
  const { shards } = other.windows.assignShards(BACKEND);
  assert(shards !== undefined && shards.key > 0);
  advance(WINDOW_MS + 1);
  // The first shard has a minute of requests, one each millisecond.
  const key = keys.apiKeyWindow(TENANT, BACKEND.apiKey!.id);
  const { value } = await kv.get<StoredWindows>(key);
  const times = Array.from({ length: MOST }, (_, n) => now() - MOST + n);
  const packed = { all: packStamps(undefined, times)! };
  await kv.set(key, { ...value, all: [], packed });
  assertEquals(waitOf(await other.ask(LIMITS)), 1);
  advance(1);
  assertEquals(await askedBy([other, one], { count: 4 }), { counted: 1, key: 3 });
  const half = { ...LIMITS, keyRequests: MOST / 2 };
  const outcome = await other.ask(half);
  assert(outcome !== "counted");
  assertEquals(outcome.rejected.retryAfterMs, MOST / 2 + 1);
});
