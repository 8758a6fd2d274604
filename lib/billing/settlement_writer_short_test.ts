import { assertEquals } from "@std/assert";
import { ledgerOf, outcome, request, settlement, TENANT } from "@/tests/support/admissions.ts";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { OPEN_LIMITS } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { keys } from "../store/keys/keys.ts";
import { type Runtime, systemRuntime } from "../platform/runtime.ts";
import { Admission } from "./admission.ts";
import type { Division } from "./ledger_division.ts";
import { LedgerShards } from "./ledger_shards.ts";

const LIMITS = { ...OPEN_LIMITS, streams: 10, hardDailyCost: 1_000 };

/** Processes on one store that have divided the tenant's ledger; run numbers increase. */
async function divided(kv: Deno.Kv, count: number) {
  const runtime: Runtime = {
    ...systemRuntime,
    ...instantRuntime(Date.UTC(2026, 0, 2, 12)).runtime,
  };
  let n = 0;
  const processes = Array.from({ length: count }, () => {
    const committer = new GroupCommitter(kv, { runtime });
    const shards = new LedgerShards(committer, runtime);
    const admission = new Admission(committer, { runtime, shards });
    const begin = async (hold: number) => {
      const run = n++;
      const result = await outcome(admission.admit(request(run, { hold, limits: LIMITS })));
      assertEquals(result, "admitted");
      return run;
    };
    const end = (run: number, cost: number) => admission.settle(`run-${run}`, settlement(cost));
    return { shards, begin, end };
  });
  for (let round = 0; round < 4; round++) {
    for (const { begin, end } of processes) await end(await begin(0), 0);
    await Promise.all(processes.map(({ shards }) => shards.process.claim()));
  }
  const places = new Set(processes.map(({ shards }) => shards.keyOf(TENANT).join()));
  assertEquals(places.size, count);
  return processes;
}

for (const count of [2, 3]) {
  Deno.test(`settle: ${count} processes charge concurrent cost beyond the holds completely`, async () => {
    using kv = await Deno.openKv(":memory:");
    const processes = await divided(kv, count);
    const runs = await Promise.all(
      processes.flatMap(({ begin, end }) =>
        [0, 1, 2].map(async () => ({ run: await begin(10), end }))
      ),
    );
    const charges = await Promise.all(runs.map(({ run, end }) => end(run, 100)));
    assertEquals(charges, runs.map(() => ({ charged: 100, excess: 0 })));
    assertEquals((await ledgerOf(kv)).spent, 100 * runs.length);
  });
}

Deno.test("settle: cost beyond the rest of all shards is charged up to the limit", async () => {
  using kv = await Deno.openKv(":memory:");
  const [one, other] = await divided(kv, 2);
  const [first, second] = [await one!.begin(10), await other!.begin(10)];
  const charges = await Promise.all([one!.end(first, 700), other!.end(second, 700)]);
  assertEquals(charges.reduce((sum, { charged }) => sum + charged, 0), 1_000);
  assertEquals((await ledgerOf(kv)).spent, 1_000);
});

Deno.test("settle: a division frozen just before the commit loses no money", async () => {
  using kv = await Deno.openKv(":memory:");
  const [one, other] = await divided(kv, 2);
  await other!.begin(10);
  const run = await one!.begin(10);
  let freezes = 2;
  const { shards } = one!;
  const rebalance = shards.rebalance.bind(shards);
  shards.rebalance = async (...of) => {
    const rebalanced = await rebalance(...of);
    if (freezes-- > 0) await freezeAgain(kv);
    return rebalanced;
  };
  assertEquals(await one!.end(run, 900), { charged: 900, excess: 0 });
  assertEquals((await ledgerOf(kv)).spent, 900);
});

/** Like another process that is about to divide the limits, or dies before it has. */
async function freezeAgain(kv: Deno.Kv): Promise<void> {
  const { value: division } = await kv.get<Division>(keys.ledgerDivision(TENANT));
  const shards = Object.entries(division!.shards).map(([shard, allotment]) => {
    return [shard, { ...allotment, streams: 0, hardLimit: 0 }] as const;
  });
  await kv.set(keys.ledgerDivision(TENANT), {
    ...{ ...division!, revision: division!.revision + 1, frozen: true },
    shards: Object.fromEntries(shards),
  });
}
