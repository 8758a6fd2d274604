/** A plan with more streams than one ledger has leases for: the runs of a process share a lease. */
import { assert, assertEquals } from "@std/assert";
import { ledgerOf, TENANT, TODAY, valuesOf } from "@/tests/support/admissions.ts";
import {
  admittedOf,
  divide,
  ledgerProcesses,
  LIMITS,
  type Process,
} from "@/tests/support/ledger_processes.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import { interruptedEnd } from "../store/runs/run_record.ts";
import { ABANDONED, countSlots, type Ledger, sumHolds } from "./ledger.ts";
import type { Limits } from "./limits.ts";
import { readRunLease } from "./run_lease.ts";

const MOST = 10_000;
const MANY: Limits = { ...LIMITS, streams: MOST };

const slotsOf = async (kv: Deno.Kv) => countSlots(await ledgerOf(kv), TODAY);
const heldIn = async (kv: Deno.Kv) => sumHolds(await ledgerOf(kv), TODAY);

async function begin(
  process: Process,
  { count, limits = MANY, hold = 0 }: { count: number; limits?: Limits; hold?: number },
) {
  return await Promise.all(Array.from({ length: count }, () => process.begin(hold, limits)));
}

const runsOf = (begun: readonly (readonly [number, string])[]) =>
  begun.flatMap(([run, result]) => result === "admitted" ? run : []);

/** Settles a run as another process does once its lease has not changed for too long. */
async function settleFor(process: Process, kv: Deno.Kv, run: number) {
  const { value } = await kv.get<ActiveRun>(keys.activeRun(TENANT, `run-${run}`));
  const stored = new Map<string, unknown>();
  const { accounts: scopes, run: facts } = value!;
  for (const key of [scopes[0]!.key, keys.runHold(TENANT, facts.runId)]) {
    stored.set(key.join(), (await kv.get(key)).value ?? undefined);
  }
  const lease = readRunLease({ get: <T>(key: Deno.KvKey) => stored.get(key.join()) as T }, {
    ...{ scopes, run: facts },
  });
  return await process.admission.settleOrphaned(value!, { lease, end: interruptedEnd(facts) });
}

Deno.test("Admission: two processes admit exactly 10,000 streams of one tenant", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [one, other] = [open(), open()];
  await divide([one, other], MANY);
  const begun = [];
  for (const count of [2_500, 2_475]) {
    begun.push(...await begin(one, { count }), ...await begin(other, { count }));
  }
  begun.push(
    ...(await Promise.all([one, other].map((process) => begin(process, { count: 60 })))).flat(),
  );
  assertEquals(admittedOf(begun), { admitted: MOST, tenant_streams: 70 });
  assertEquals(await slotsOf(kv), MOST);
  const ledgers = await valuesOf<Ledger>(kv, keys.tenantLedgers());
  assert(ledgers.every(({ runs }) => Object.keys(runs).length <= 2), "one lease a process");
  const [freed] = runsOf(begun);
  await one.end(freed!);
  assertEquals(admittedOf(await begin(other, { count: 2 })), { admitted: 1, tenant_streams: 1 });
  assertEquals(await slotsOf(kv), MOST);
  one.admission.close();
  other.admission.close();
});

Deno.test("Admission: a lowered limit counts shared leases, and a raised one those of single runs", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [one, other] = [open(), open()];
  const many = runsOf(await begin(one, { count: 20 }));
  const lowered = { ...MANY, streams: 12 };
  assertEquals((await other.begin(0, lowered))[1], "tenant_streams");
  for (const run of many.slice(0, 9)) await one.end(run);
  const begun = await begin(other, { count: 2, limits: lowered });
  assertEquals(admittedOf(begun), { admitted: 1, tenant_streams: 1 });
  assertEquals((await other.begin(0, MANY))[1], "admitted");
  assertEquals((await one.begin(0, lowered))[1], "tenant_streams");
  assertEquals(await slotsOf(kv), 13);
  for (const run of many.slice(9)) await one.end(run);
  assertEquals(await slotsOf(kv), 2);
  one.admission.close();
  other.admission.close();
});

Deno.test("Admission: a ledger full of single leases takes more once the limit is raised", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const one = open();
  await begin(one, { count: 800, limits: { ...LIMITS, streams: 800 } });
  assertEquals((await one.begin(0, { ...LIMITS, streams: 800 }))[1], "tenant_streams");
  assertEquals(admittedOf(await begin(one, { count: 40 })), { admitted: 40 });
  assertEquals(await slotsOf(kv), 840);
  one.admission.close();
});

Deno.test("Admission: runs that share a lease raise, charge and free what they hold themselves", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const one = open();
  const [first, second] = runsOf(await begin(one, { count: 2, hold: 300 })) as [number, number];
  const reserve = (run: number, hold: number, least: number) =>
    one.admission.reserve(`run-${run}`, { hold, least });
  // The day's limit is 1,000.
  assertEquals(await reserve(first, 900, 100), 700);
  assertEquals(await reserve(second, 400, 301), undefined);
  assertEquals(await heldIn(kv), 1_000);
  assertEquals(await one.end(first, 650), { charged: 650, excess: 0 });
  assertEquals(await reserve(second, 400, 301), 350);
  assertEquals(await one.end(second, 500), { charged: 350, excess: 150 });
  const { spent, runs } = await ledgerOf(kv);
  assertEquals([spent, runs, await valuesOf(kv, ["run_holds"])], [1_000, {}, []]);
  assertEquals(await one.end(second, 500), { charged: 0, excess: 500 });
});

Deno.test("Admission: a process that stood still learns which of its runs others have settled", async () => {
  using kv = await Deno.openKv(":memory:");
  const lost: string[] = [];
  const { open, advance } = ledgerProcesses(kv);
  const [still, other] = [open({ onLost: (runId) => lost.push(runId) }), open()];
  const runs = runsOf(await begin(still, { count: 12, hold: 10 }));
  const own = await other.begin(10, MANY);
  advance(60_000);
  for (const run of runs.slice(0, 11)) {
    assertEquals(await settleFor(other, kv, run), { charged: 10, excess: 0 });
  }
  // It admits another before it renews its leases: that must not hide what was settled.
  const [next] = await still.begin(10, MANY);
  await still.beat();
  assertEquals(lost.sort(), runs.slice(0, 11).map((run) => `run-${run}`).sort());
  lost.length = 0;
  await still.beat();
  for (const run of runs.slice(0, 11)) {
    assertEquals(await still.end(run, 3), { charged: 10, excess: 0 });
  }
  await still.beat();
  assertEquals(lost, []);
  for (const run of [runs[11]!, next]) {
    assertEquals(await still.end(run, 3), { charged: 3, excess: 0 });
  }
  assertEquals(await other.end(own[0], 3), { charged: 3, excess: 0 });
  const { spent, runs: left } = await ledgerOf(kv);
  assertEquals([spent, left], [119, {}]);
});

Deno.test("Admission: a shared lease that was emptied by others goes when its process knows, or an hour later", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, advance } = ledgerProcesses(kv);
  const [still, dead, other] = [open(), open(), open()];
  const leases = async () => Object.values((await ledgerOf(kv)).runs).map(({ lost }) => lost);
  for (const process of [still, dead]) {
    const [run] = await process.begin(10, MANY);
    await settleFor(other, kv, run);
  }
  assertEquals(await leases(), [1, 1]);
  await still.beat();
  assertEquals(await leases(), [1]);
  advance(60 * 60_000 + 30_000);
  const [run] = await other.begin(10, MANY);
  assertEquals(await leases(), [undefined]);
  await other.end(run);
  assertEquals(await leases(), []);
  dead.admission.close();
});

Deno.test("Admission: a run that its living process has given up is settled by that process", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = ledgerProcesses(kv);
  const [own, other] = [open(), open()];
  const [run] = await own.begin(10, MANY);
  const { value: active } = await kv.get<ActiveRun>(keys.activeRun(TENANT, `run-${run}`));
  const { sharedLease } = active!.accounts[0]!;
  assertEquals(own.admission.isOwnLease(sharedLease!), true);
  assertEquals(other.admission.isOwnLease(sharedLease!), false);
  const end = interruptedEnd(active!.run);
  // Another process sees that the lease is renewed.
  const renewed = { until: TODAY.now - 1, hold: 0 };
  assertEquals(await other.admission.settleOrphaned(active!, { lease: renewed, end }), undefined);
  const settled = await own.admission.settleOrphaned(active!, { lease: ABANDONED, end });
  assertEquals(settled, { charged: 10, excess: 0 });
  assertEquals(await slotsOf(kv), 0);
  own.admission.close();
});

for (const isDivided of [false, true]) {
  Deno.test(`Admission: holds of a shared lease that lapsed yesterday count again when its process resumes (divided: ${isDivided})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const { open, advance } = ledgerProcesses(kv);
    const [still, other] = [open(), open()];
    if (isDivided) await divide([still, other], MANY);
    const runs = runsOf(await begin(still, { count: 4, hold: 200 }));
    advance(24 * 3_600_000);
    // The lease has lapsed, so its holds do not count towards today.
    const [run] = await other.begin(150, MANY);
    assertEquals((await still.begin(100, MANY))[1], "tenant_daily_cost");
    assertEquals((await still.begin(50, MANY))[1], "admitted");
    const reserve = (hold: number) =>
      still.admission.reserve(`run-${runs[0]}`, { hold, least: hold });
    assertEquals(await reserve(201), undefined);
    assertEquals(await other.end(run, 0), { charged: 0, excess: 0 });
    assertEquals(await reserve(350), 350);
    still.admission.close();
  });
}
