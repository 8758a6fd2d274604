import { assert, assertEquals } from "@std/assert";
import { TENANT } from "@/tests/support/admissions.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { keys } from "../store/keys/keys.ts";
import type { Division } from "./ledger_division.ts";
import { countSlots, type Ledger, sumHolds } from "./ledger.ts";
import { dayOf } from "../platform/utc_day.ts";

import {
  admittedOf,
  divide,
  ledgerProcesses,
  LIMITS,
  type Process,
  shardsOf,
} from "@/tests/support/ledger_processes.ts";
Deno.test("LedgerShards: concurrent rejected messages share one read of the other shards", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const { kv: counted, traffic } = flakyKv(kv, { random: seeded(1) });
  const [one, other] = [open(), open({ through: counted })];
  await divide([one, other]);
  for (let i = 0; i < 10; i++) await one.begin();
  const before = { ...traffic };
  const begun = await Promise.all(Array.from({ length: 100 }, () => other.begin()));
  assertEquals(admittedOf(begun), { tenant_streams: 100 });
  const { reads, commits } = traffic;
  assert(reads - before.reads <= 4, `${reads - before.reads} reads`);
  // One that was decided on a cached division.
  assert(commits - before.commits <= 1, `${commits - before.commits} commits`);
});

Deno.test("LedgerShards: a message without a slot is rejected after 4 s of repeated divisions", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = ledgerProcesses(kv);
  const key = keys.ledgerDivision(TENANT);
  let isBusy = false;
  // Another process changes the division before each read.
  const busy = new Proxy(kv, {
    get(target, name) {
      if (name !== "getMany" || !isBusy) {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (wanted: Deno.KvKey[]) => {
        advance(500);
        const { value } = await kv.get<Division>(key);
        await kv.set(key, { ...value, revision: value!.revision + 1 });
        return await kv.getMany(wanted);
      };
    },
  });
  const [one, other] = [open(), open({ through: busy })];
  await divide([one, other]);
  for (let i = 0; i < 5; i++) await other.begin();
  isBusy = true;
  const begun = [];
  for (let i = 0; i < 6; i++) begun.push((await other.begin())[1]);
  assertEquals(begun.at(-1), "tenant_streams");
});

const FEW = (upTo: (n: number) => number) => 3 + upTo(9);
/** Sometimes so many that runs share a lease. */
const FEW_OR_MANY = (upTo: (n: number) => number) => upTo(1) === 0 ? 10_000 : FEW(upTo);

for (
  const [seed, streams] of [1, 2, 3, 4, 5, 6].map((n) => [n, n < 4 ? FEW : FEW_OR_MANY] as const)
) {
  Deno.test(`LedgerShards: three concurrent processes never exceed a limit (seed ${seed})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const { open, advance, runtime } = ledgerProcesses(kv);
    const random = seeded(seed);
    const upTo = (n: number) => Math.floor(random() * (n + 1));
    const processes = [open(), open(), open()];
    await divide(processes);
    let limits = { ...LIMITS, streams: seed < 4 ? LIMITS.streams : 10_000 };
    const running: { run: number; process: Process; hold: number }[] = [];
    let settled = 0;
    for (let step = 0; step < 120; step++) {
      if (upTo(20) === 0) advance(upTo(3 * 3_600_000));
      const acts = Array.from({ length: upTo(5) }, async () => {
        const process = processes[upTo(2)]!;
        if (upTo(1) === 0 && running.length > 0) {
          const [{ run, process: own, hold }] = running.splice(upTo(running.length - 1), 1) as [
            typeof running[number],
          ];
          const { charged } = await own.end(run, upTo(hold));
          settled += charged;
          return;
        }
        const hold = upTo(120);
        const [run, result] = await process.begin(hold, limits);
        if (result === "admitted") running.push({ run, process, hold });
      });
      await Promise.all(acts);
      const now = runtime.now();
      const at = { now, period: dayOf(now) };
      const shards = (await shardsOf(kv)).filter(({ period }) => period === at.period);
      const sum = (of: (shard: Ledger) => number) => shards.reduce((a, b) => a + of(b), 0);
      assert(sum((one) => countSlots(one, at)) <= limits.streams, "too many streams");
      assert(sum((one) => one.spent + sumHolds(one, at)) <= limits.hardDailyCost, "too much money");
      // Limits change only while nothing is in flight, or they might be exceeded already.
      if (running.length === 0) limits = { ...LIMITS, streams: streams(upTo) };
    }
    for (const { run, process } of running) await process.end(run);
    const records = await Array.fromAsync(kv.list<{ cost: number }>({ prefix: keys.allRuns() }));
    assertEquals(records.reduce((all, { value }) => all + value.cost, 0), settled);
  });
}
