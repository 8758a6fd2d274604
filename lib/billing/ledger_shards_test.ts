import { assert, assertEquals } from "@std/assert";
import { ledgerOf, request, TENANT } from "@/tests/support/admissions.ts";
import { RUN_END } from "@/tests/support/run_requests.ts";
import { keys } from "../store/keys/keys.ts";
import { interruptedEnd } from "../store/runs/run_record.ts";
import { findLease } from "./ledger.ts";

import {
  admittedOf,
  divide,
  ledgerProcesses,
  LIMITS,
  type Process,
  shardsOf,
} from "@/tests/support/ledger_processes.ts";
Deno.test("LedgerShards: a tenant served by one process keeps one ledger", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = ledgerProcesses(kv);
  const [one, other] = [open(), open()];
  for (let i = 0; i < 20; i++) {
    const [run] = await one.begin();
    await one.end(run);
  }
  // An occasional write by another process is no contention.
  for (let i = 0; i < 5; i++) {
    advance(60_000);
    const [run] = await other.begin();
    await other.end(run);
  }
  assertEquals((await shardsOf(kv)).length, 1);
  assertEquals((await kv.get(keys.processShards())).versionstamp, null);
});

Deno.test("LedgerShards: any single process can use the last slot and the last micro-USD", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const processes = [open(), open(), open()];
  await divide(processes);
  for (const { begin, end } of processes) {
    const begun = [];
    for (let i = 0; i < 12; i++) begun.push(await begin(1));
    assertEquals(admittedOf(begun), { admitted: 10, tenant_streams: 2 });
    for (const [run, result] of begun) if (result === "admitted") await end(run);
  }
  const [first, second, third] = processes as [Process, Process, Process];
  const [large] = await first.begin(400);
  assertEquals((await second.begin(600))[1], "admitted");
  assertEquals((await third.begin(1))[1], "tenant_daily_cost");
  await first.end(large, 399);
  assertEquals((await third.begin(1))[1], "admitted");
  assertEquals((await third.begin(1))[1], "tenant_daily_cost");
});

Deno.test("LedgerShards: a run with a lower minimum gets the rest of all shards", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [one, other] = [open(), open()];
  await divide([one, other]);
  await one.begin(300);
  const { windows: _windows, ...granted } = await other.admission.admit(
    request(900, { hold: 5_000, minHold: 10, limits: LIMITS }),
  ) as { windows: unknown; hold: number };
  assertEquals(granted.hold, 700);
  assertEquals(await one.admission.reserve("run-none", { hold: 10, least: 1 }), undefined);
});

Deno.test("LedgerShards: an active run takes budget from the other shards, within the limit", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [one, other] = [open(), open()];
  await divide([one, other]);
  const [run] = await one.begin(100);
  await other.begin(100);
  const reserve = (hold: number, least: number) =>
    one.admission.reserve(`run-${run}`, { hold, least });
  assertEquals(await reserve(850, 850), 850);
  assertEquals(await reserve(2_000, 860), 900);
  assertEquals(await reserve(2_000, 901), undefined);
  const { charged, excess } = await one.end(run, 950);
  assertEquals([charged, excess], [900, 50]);
});

Deno.test("LedgerShards: cost beyond the hold is charged from the rest of all shards", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [one, other] = [open(), open()];
  await divide([one, other]);
  const [run] = await one.begin(10);
  await other.begin(10);
  assertEquals(await one.end(run, 900), { charged: 900, excess: 0 });
  assertEquals((await ledgerOf(kv)).spent, 900);
});

Deno.test("LedgerShards: changed limits apply immediately in every process", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const processes = [open(), open()];
  await divide(processes);
  const [one, other] = processes as [Process, Process];
  const lowered = { ...LIMITS, streams: 3, hardDailyCost: 50 };
  for (let i = 0; i < 2; i++) assertEquals((await one.begin(10))[1], "admitted");
  assertEquals((await other.begin(10, lowered))[1], "admitted");
  assertEquals((await one.begin(10, lowered))[1], "tenant_streams");
  assertEquals((await other.begin(10, lowered))[1], "tenant_streams");
  const wide = { ...lowered, streams: 20 };
  const begun = [await one.begin(11, wide), await other.begin(10, wide), await one.begin(11, wide)];
  assertEquals(begun.map(([, result]) => result), [
    "admitted",
    "tenant_daily_cost",
    "tenant_daily_cost",
  ]);
  assertEquals((await other.begin(900))[1], "admitted");
});

Deno.test("LedgerShards: a new day has the whole limit, and setting the clock back does not repeat it", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = ledgerProcesses(kv);
  const processes = [open(), open()];
  await divide(processes);
  const spend = async (process: Process, cost: number) => {
    const [run, result] = await process.begin(cost);
    if (result === "admitted") await process.end(run, cost);
    return result;
  };
  const [one, other] = processes as [Process, Process];
  assertEquals([await spend(one, 500), await spend(other, 450)], ["admitted", "admitted"]);
  advance(24 * 3_600_000);
  assertEquals([await spend(one, 700), await spend(other, 300)], ["admitted", "admitted"]);
  assertEquals(await spend(one, 1), "tenant_daily_cost");
  advance(-24 * 3_600_000);
  assertEquals([await spend(other, 51), await spend(one, 50)], ["tenant_daily_cost", "admitted"]);
  assertEquals(await spend(other, 1), "tenant_daily_cost");
});

Deno.test("LedgerShards: processes that disagree about midnight stay within the new day's limit", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = ledgerProcesses(kv);
  const [behind, ahead] = [open(), open({ ahead: 4 * 60_000 })];
  await divide([behind, ahead]);
  advance(12 * 3_600_000 - 3 * 60_000);
  const spent = [];
  for (let i = 0; i < 8; i++) {
    for (const { begin, end } of [ahead, behind]) {
      const [run, result] = await begin(100);
      if (result === "admitted") spent.push(await end(run, 100));
    }
  }
  assertEquals(spent.length, 10);
});

Deno.test("LedgerShards: a dead process's holds are charged, and its unused allotment is free immediately", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [dying, alive] = [open(), open()];
  await divide([dying, alive]);
  const [run] = await dying.begin(300);
  assertEquals((await alive.begin(701))[1], "tenant_daily_cost");
  assertEquals((await alive.begin(650))[1], "admitted");
  const live = (await kv.get<never>(keys.activeRun(TENANT, `run-${run}`))).value!;
  const held = (await shardsOf(kv)).map((shard) => findLease(shard, `run-${run}`)).find(Boolean);
  const end = interruptedEnd((live as { run: Parameters<typeof interruptedEnd>[0] }).run);
  const charge = await alive.admission.settleOrphaned(live, { lease: held, end });
  assertEquals(charge, { charged: 300, excess: 0 });
  assertEquals((await ledgerOf(kv)).spent, 300);
  assertEquals([(await alive.begin(51))[1], (await alive.begin(50))[1]], [
    "tenant_daily_cost",
    "admitted",
  ]);
});

Deno.test("LedgerShards: embeddings use the same budget", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [one, other] = [open(), open()];
  await divide([one, other]);
  const held = await one.costs.reserve(TENANT, 800);
  assert(held !== undefined);
  assertEquals(await other.costs.reserve(TENANT, 201), undefined);
  assertEquals((await other.begin(200))[1], "admitted");
  const { provider, model } = RUN_END;
  const source = { kind: "key", id: "key" } as const;
  await one.costs.settle(held, { agentId: "a", source, provider, model, inputTokens: 9, cost: 5 });
  assertEquals((await other.begin(795))[1], "admitted");
  assertEquals((await ledgerOf(kv)).spent, 5);
});
