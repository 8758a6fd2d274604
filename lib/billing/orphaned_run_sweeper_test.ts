import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ledgerOf, usageOf } from "@/tests/support/admissions.ts";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { meteredKv } from "@/tests/support/metered_kv.ts";
import { sweepOrphaned } from "@/tests/support/sweep_orphaned.ts";
import { OPEN_LIMITS, RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { createLogger } from "../platform/log.ts";
import { keys } from "../store/keys/keys.ts";
import { type Runtime, systemRuntime } from "../platform/runtime.ts";
import type { RunRecord } from "../store/runs/run_record.ts";
import { Admission } from "./admission.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import { interruptedEnd } from "../store/runs/run_record.ts";
import { OrphanedRunSweeper, SWEEP_INTERVAL_MS } from "./orphaned_run_sweeper.ts";
import { FailureDetector, SILENCE_TIMEOUT_MS } from "./failure_detector.ts";
import { countSlots, HEARTBEAT_MS, type Lease } from "./ledger.ts";
import type { Limits } from "./limits.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const TENANTS = [fakeUuid(801), fakeUuid(802), fakeUuid(803)];
const LIMITS: Limits = { ...OPEN_LIMITS, streams: 100 };
/** The runs of a process share a lease. */
const MANY_STREAMS: Limits = { ...LIMITS, streams: 10_000 };

/** A clock that the test advances; retries do not wait, and heartbeats and sweeps never run. */
function createClock() {
  const { runtime, advance } = instantRuntime(NOON);
  return { runtime: { ...systemRuntime, ...runtime }, advance };
}

/** One process: its admission and its sweeper. */
function open(kv: Deno.Kv, runtime: Runtime, limits = LIMITS) {
  const admission = new Admission(new GroupCommitter(kv, { runtime }), { runtime });
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => logged.push(line) });
  const settleLive = (live: ActiveRun, lease: Lease | undefined) =>
    admission.settleOrphaned(live, { lease, end: interruptedEnd(live.run) });
  const leases = new FailureDetector(runtime);
  const sweeper = new OrphanedRunSweeper(kv, {
    admission,
    failureDetector: leases,
    runtime,
    log,
    settle: settleLive,
  });
  const admit = (n: number, hold = 100) => {
    const run = runFacts(n, { tenant: TENANTS[n % TENANTS.length]! });
    return admission.admit(runRequest(n, { run, hold, limits }));
  };
  const settle = (n: number, cost: number) =>
    admission.settle(`run-${n}`, { end: RUN_END, cost, ceiling: 1e9 });
  return { admission, sweeper, logged, admit, settle };
}

async function valuesOf<T>(kv: Deno.Kv, prefix: Deno.KvKey): Promise<T[]> {
  return (await Array.fromAsync(kv.list<T>({ prefix }))).map(({ value }) => value);
}

describe("OrphanedRunSweeper", () => {
  for (const limits of [LIMITS, MANY_STREAMS]) {
    it(`loses no settlement and no slot when processes die, with concurrent sweeps (${limits.streams} streams)`, async () => {
      using kv = await Deno.openKv(":memory:");
      const { runtime, advance } = createClock();
      const random = seeded(11);
      const bad = { random, ambiguous: 0.1, locked: 0.1, turns: 6 };
      const dying = [1, 2, 3].map(() => open(flakyKv(kv, bad).kv, runtime, limits));
      const holds = Array.from({ length: 60 }, () => 100 + Math.floor(random() * 900));
      await Promise.all(holds.map((hold, n) => dying[n % 3]!.admit(n, hold)));
      // Every fourth run ends in time; the rest is active when all three processes are killed.
      const charges = await Promise.all(holds.map(async (hold, n) => {
        return n % 4 === 0 ? (await dying[n % 3]!.settle(n, Math.floor(hold / 2))).charged : 0;
      }));
      const charged = charges.reduce((sum, charged) => sum + charged, 0);
      dying.forEach(({ admission }) => admission.close());
      const held = holds.filter((_, n) => n % 4 !== 0).reduce((sum, hold) => sum + hold, 0);
      assertEquals((await valuesOf(kv, keys.activeRuns())).length, 45);

      const alive = [1, 2, 3].map(() => open(flakyKv(kv, bad).kv, runtime));
      await Promise.all(alive.map(({ sweeper }) => sweeper.sweep()));
      assertEquals((await valuesOf(kv, keys.activeRuns())).length, 45);
      advance(SILENCE_TIMEOUT_MS);
      // A failed read ends a sweep, and how many fail depends on the order of the calls.
      const active = () => valuesOf(kv, keys.activeRuns());
      for (let sweeps = 0; sweeps < 20 && (await active()).length > 0; sweeps++) {
        await Promise.all(alive.map(({ sweeper }) => sweeper.sweep()));
      }
      assertEquals(await active(), []);
      const ledgers = await Promise.all(TENANTS.map((tenant) => ledgerOf(kv, tenant)));
      assertEquals(
        ledgers.map((ledger) => countSlots(ledger, { now: runtime.now(), period: "" })),
        [0, 0, 0],
      );
      assertEquals(
        ledgers.flatMap(({ runs }) => Object.values(runs)).every(({ hold }) => hold === 0),
        true,
      );
      assertEquals(await valuesOf(kv, ["run_holds"]), []);
      assertEquals(ledgers.reduce((sum, { spent }) => sum + spent, 0), charged + held);
      const records = await valuesOf<RunRecord>(kv, ["runs"]);
      assertEquals(records.length, 60);
      TENANTS.forEach((tenant, i) => {
        const own = records.filter((run) => run.tenant === tenant);
        assertEquals(own.reduce((sum, { cost }) => sum + cost, 0), ledgers[i]!.spent);
      });
      const used = await usageOf(kv);
      assertEquals([used.cost, used.runs], [charged + held, 60]);
      assertEquals(records.filter((run) => run.finishReason === "interrupted").length, 45);
    });
  }

  for (const [ahead, limits] of [[0, LIMITS], [60_000, LIMITS], [-60_000, MANY_STREAMS]] as const) {
    it(`leaves active runs of all processes alone (clock ${ahead} ms ahead, ${limits.streams} streams)`, async () => {
      using kv = await Deno.openKv(":memory:");
      const runtime = new FakeRuntime(NOON);
      const own = open(kv, { ...runtime, now: () => runtime.now() + ahead }, limits);
      const other = open(kv, runtime, limits);
      await own.admit(1);
      await other.admit(2);
      // Uses the same committer, so the heartbeat before it has been committed by then; if the clock
      // advanced meanwhile, the store would seem unresponsive.
      const beaten = ({ admission }: typeof own, runId: string) =>
        admission.reserve(runId, { hold: 100, least: 0 });
      const live = async () => {
        await own.sweeper.sweep();
        return (await valuesOf<ActiveRun>(kv, keys.activeRuns())).map(({ run }) => run.runId);
      };
      for (let beats = 0; beats < 12; beats++) {
        assertEquals(await live(), ["run-1", "run-2"]);
        await runtime.advance(HEARTBEAT_MS);
        await beaten(own, "run-1");
        await beaten(other, "run-2");
      }
      other.admission.close();
      await live();
      for (let ms = 0; ms < SILENCE_TIMEOUT_MS; ms += HEARTBEAT_MS) {
        await runtime.advance(HEARTBEAT_MS);
        await beaten(own, "run-1");
      }
      assertEquals(await live(), ["run-1"]);
      own.admission.close();
    });
  }

  it("settles all runs of others immediately if no other process uses the store", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime } = createClock();
    const [dead, alive] = [open(kv, runtime), open(kv, runtime)];
    await Promise.all([dead.admit(1), dead.admit(2)]);
    dead.admission.close();
    await alive.sweeper.sweep({ alone: true });
    assertEquals(await valuesOf(kv, keys.activeRuns()), []);
    assertEquals((await valuesOf(kv, ["runs"])).length, 2);
  });

  it("deletes a record whose run is settled", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime } = createClock();
    const process = open(kv, runtime);
    await process.admit(1);
    const [entry] = await Array.fromAsync(kv.list({ prefix: keys.activeRuns() }));
    await process.settle(1, 40);
    await kv.set(entry!.key, entry!.value);
    await process.sweeper.sweep();
    assertEquals(await valuesOf(kv, keys.activeRuns()), []);
    assertEquals((await valuesOf<RunRecord>(kv, ["runs"])).map(({ cost }) => cost), [40]);
  });

  it("skips an invalid record and logs it once", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime, advance } = createClock();
    const [dead, alive] = [open(kv, runtime), open(kv, runtime)];
    await kv.set(keys.activeRun(TENANTS[0]!, "run-0"), { v: 9 });
    await kv.set(keys.activeRun(TENANTS[1]!, "run-00"), "nonsense");
    await Promise.all([dead.admit(1), dead.admit(2), dead.admit(3)]);
    dead.admission.close();
    await sweepOrphaned(alive.sweeper, advance);
    assertEquals((await valuesOf(kv, ["runs"])).length, 3);
    assertEquals((await valuesOf(kv, keys.activeRuns())).length, 2);
    const errors = alive.logged.filter((line) => JSON.parse(line).level === "error");
    assertEquals(errors.map((line) => JSON.parse(line).runId), ["run-0", "run-00"]);
  });

  it("sweeps every minute when idle, and every 10 s for 2 minutes after a request", async () => {
    using kv = await Deno.openKv(":memory:");
    const meter = meteredKv(kv);
    const runtime = new FakeRuntime(NOON);
    const { sweeper } = open(meter.kv, runtime);
    /** The number of sweeps in this many seconds. */
    const sweepsIn = async (seconds: number) => {
      meter.take();
      for (let second = 0; second < seconds; second++) {
        await runtime.advance(1_000);
        await meter.idle();
      }
      return meter.take().lists;
    };
    sweeper.start();
    // Runs of other processes are not known yet.
    assertEquals(await sweepsIn(10), 1);
    assertEquals([await sweepsIn(59), await sweepsIn(1), await sweepsIn(600)], [0, 1, 10]);
    await sweepsIn(30);
    meter.take();
    sweeper.wake();
    // At once, before the clock advances.
    await runtime.advance(0);
    await meter.idle();
    assertEquals(meter.take().lists, 1);
    assertEquals([await sweepsIn(120), await sweepsIn(600)], [12, 10]);
    await sweeper.close();
  });

  for (const seconds of [0, 7, 25]) {
    it(`frees a dead process's slot within 30 s of a request, ${seconds} s after its death`, async () => {
      using kv = await Deno.openKv(":memory:");
      const meter = meteredKv(kv);
      const runtime = new FakeRuntime(NOON);
      const [dead, alive] = [open(kv, runtime), open(meter.kv, runtime)];
      const wait = async (seconds: number) => {
        for (let second = 0; second < seconds; second++) {
          await runtime.advance(1_000);
          await meter.idle();
        }
      };
      const liveRuns = async () => (await valuesOf(kv, keys.activeRuns())).length;
      alive.sweeper.start();
      // Idle: it has just swept, and sweeps again in a minute.
      await wait(11);
      await dead.admit(1);
      dead.admission.close();
      await wait(seconds);
      alive.sweeper.wake();
      await wait(30);
      assertEquals(await liveRuns(), 0);
      await alive.sweeper.close();
    });
  }

  it("settles orphaned runs within 90 s without any requests", async () => {
    using kv = await Deno.openKv(":memory:");
    const meter = meteredKv(kv);
    const runtime = new FakeRuntime(NOON);
    const [dead, ...alive] = [open(kv, runtime), open(meter.kv, runtime), open(meter.kv, runtime)];
    for (const { sweeper } of alive) sweeper.start();
    await runtime.advance(11_000);
    await meter.idle();
    await dead!.admit(1);
    dead!.admission.close();
    for (let second = 0; second < 90; second++) {
      await runtime.advance(1_000);
      await meter.idle();
    }
    assertEquals(await valuesOf(kv, keys.activeRuns()), []);
    assertEquals((await valuesOf<RunRecord>(kv, ["runs"])).length, 1);
    for (const { sweeper } of alive) await sweeper.close();
  });

  it("sweeps every 10 s despite failures, until it is closed", async () => {
    const runtime = new FakeRuntime(NOON);
    let sweeps = 0;
    const broken = {
      list() {
        sweeps++;
        throw new TypeError("database is locked");
      },
    };
    const { sweeper, logged } = open(broken as unknown as Deno.Kv, runtime);
    await runtime.advance(SWEEP_INTERVAL_MS);
    assertEquals(sweeps, 0);
    sweeper.start();
    await runtime.advance(3 * SWEEP_INTERVAL_MS);
    assertEquals([sweeps, logged.length], [3, 3]);
    await sweeper.close();
    await runtime.advance(3 * SWEEP_INTERVAL_MS);
    assertEquals([sweeps, runtime.sleeping], [3, 0]);
  });
});

describe("Admission.settle", () => {
  it("stops renewing a run that could not be settled, so that a sweep settles it", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime, advance } = createClock();
    let broken = false;
    const bad = { random: () => broken ? 0 : 1, locked: 0.5 };
    const process = open(flakyKv(kv, bad).kv, runtime);
    await process.admit(1, 70);
    broken = true;
    const failed = await process.settle(1, 30).then(() => false, () => true);
    broken = false;
    assertEquals([failed, process.admission.isRunning("run-1")], [true, false]);
    await sweepOrphaned(process.sweeper, advance);
    assertEquals((await valuesOf<RunRecord>(kv, ["runs"])).map(({ cost }) => cost), [70]);
  });
});
