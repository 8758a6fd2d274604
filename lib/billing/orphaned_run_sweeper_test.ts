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
import { HEARTBEAT_MS, type Lease } from "./ledger.ts";
import type { Limits } from "./limits.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const TENANTS = [fakeUuid(801), fakeUuid(802), fakeUuid(803)];
const LIMITS: Limits = { ...OPEN_LIMITS, streams: 100 };

/** Time that a test moves; waits between tries pass at once, heartbeats and sweeps never come. */
function world() {
  const { runtime, advance } = instantRuntime(NOON);
  return { runtime: { ...systemRuntime, ...runtime }, advance };
}

/** One process: what it lets in, and its sweep. */
function open(kv: Deno.Kv, runtime: Runtime) {
  const admission = new Admission(new GroupCommitter(kv, { runtime }), { runtime });
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => logged.push(line) });
  const settleLive = (live: ActiveRun, lease: Lease | undefined) =>
    admission.settleOrphaned(live, { lease, end: interruptedEnd(live.run) });
  const leases = new FailureDetector(runtime);
  const deadRuns = new OrphanedRunSweeper(kv, {
    admission,
    failureDetector: leases,
    runtime,
    log,
    settle: settleLive,
  });
  const admit = (n: number, hold = 100) => {
    const run = runFacts(n, { tenant: TENANTS[n % TENANTS.length]! });
    return admission.admit(runRequest(n, { run, hold, limits: LIMITS }));
  };
  const settle = (n: number, cost: number) =>
    admission.settle(`run-${n}`, { end: RUN_END, cost, ceiling: 1e9 });
  return { admission, deadRuns, logged, admit, settle };
}

async function valuesOf<T>(kv: Deno.Kv, prefix: Deno.KvKey): Promise<T[]> {
  return (await Array.fromAsync(kv.list<T>({ prefix }))).map(({ value }) => value);
}

describe("DeadRuns", () => {
  it("loses no settlement and no slot when processes die, however many sweep at once", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime, advance } = world();
    const random = seeded(11);
    const bad = { random, ambiguous: 0.1, locked: 0.1, turns: 6 };
    const dying = [1, 2, 3].map(() => open(flakyKv(kv, bad).kv, runtime));
    const holds = Array.from({ length: 60 }, () => 100 + Math.floor(random() * 900));
    await Promise.all(holds.map((hold, n) => dying[n % 3]!.admit(n, hold)));
    // Every fourth ends in time, and is told so; the rest goes on when all three are killed.
    const charges = await Promise.all(holds.map(async (hold, n) => {
      return n % 4 === 0 ? (await dying[n % 3]!.settle(n, Math.floor(hold / 2))).charged : 0;
    }));
    const told = charges.reduce((sum, charged) => sum + charged, 0);
    dying.forEach(({ admission }) => admission.close());
    const held = holds.filter((_, n) => n % 4 !== 0).reduce((sum, hold) => sum + hold, 0);
    assertEquals((await valuesOf(kv, keys.activeRuns())).length, 45);

    const alive = [1, 2, 3].map(() => open(flakyKv(kv, bad).kv, runtime));
    await Promise.all(alive.map(({ deadRuns }) => deadRuns.sweep()));
    assertEquals((await valuesOf(kv, keys.activeRuns())).length, 45);
    advance(SILENCE_TIMEOUT_MS);
    // A read that fails ends a sweep; the next one goes on.
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      await Promise.all(alive.map(({ deadRuns }) => deadRuns.sweep()));
    }
    assertEquals(await valuesOf(kv, keys.activeRuns()), []);
    const ledgers = await Promise.all(TENANTS.map((tenant) => ledgerOf(kv, tenant)));
    assertEquals(ledgers.map(({ runs }) => runs), [{}, {}, {}]);
    assertEquals(ledgers.reduce((sum, { spent }) => sum + spent, 0), told + held);
    const records = await valuesOf<RunRecord>(kv, ["runs"]);
    assertEquals(records.length, 60);
    TENANTS.forEach((tenant, i) => {
      const own = records.filter((run) => run.tenant === tenant);
      assertEquals(own.reduce((sum, { cost }) => sum + cost, 0), ledgers[i]!.spent);
    });
    const used = await usageOf(kv);
    assertEquals([used.cost, used.runs], [told + held, 60]);
    assertEquals(records.filter((run) => run.finishReason === "interrupted").length, 45);
  });

  for (const ahead of [0, 60_000, -60_000]) {
    it(`leaves alone what runs here and elsewhere, its clock ${ahead} ms ahead`, async () => {
      using kv = await Deno.openKv(":memory:");
      const runtime = new FakeRuntime(NOON);
      const own = open(kv, { ...runtime, now: () => runtime.now() + ahead });
      const other = open(kv, runtime);
      await own.admit(1);
      await other.admit(2);
      // Goes through the same committer, so the beat before it has been committed by then: a clock
      // that went on meanwhile would take the store for silent.
      const beaten = ({ admission }: typeof own, runId: string) =>
        admission.reserve(runId, { hold: 100, least: 0 });
      const live = async () => {
        await own.deadRuns.sweep();
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

  it("settles all that others have left at once, where it is alone with the store", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime } = world();
    const [dead, alive] = [open(kv, runtime), open(kv, runtime)];
    await Promise.all([dead.admit(1), dead.admit(2)]);
    dead.admission.close();
    await alive.deadRuns.sweep({ alone: true });
    assertEquals(await valuesOf(kv, keys.activeRuns()), []);
    assertEquals((await valuesOf(kv, ["runs"])).length, 2);
  });

  it("clears away an entry whose run is settled", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime } = world();
    const process = open(kv, runtime);
    await process.admit(1);
    const [entry] = await Array.fromAsync(kv.list({ prefix: keys.activeRuns() }));
    await process.settle(1, 40);
    await kv.set(entry!.key, entry!.value);
    await process.deadRuns.sweep();
    assertEquals(await valuesOf(kv, keys.activeRuns()), []);
    assertEquals((await valuesOf<RunRecord>(kv, ["runs"])).map(({ cost }) => cost), [40]);
  });

  it("is not stopped by a record it cannot read, and tells of it once", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime, advance } = world();
    const [dead, alive] = [open(kv, runtime), open(kv, runtime)];
    await kv.set(keys.activeRun(TENANTS[0]!, "run-0"), { v: 9 });
    await kv.set(keys.activeRun(TENANTS[1]!, "run-00"), "nonsense");
    await Promise.all([dead.admit(1), dead.admit(2), dead.admit(3)]);
    dead.admission.close();
    await sweepOrphaned(alive.deadRuns, advance);
    assertEquals((await valuesOf(kv, ["runs"])).length, 3);
    assertEquals((await valuesOf(kv, keys.activeRuns())).length, 2);
    const errors = alive.logged.filter((line) => JSON.parse(line).level === "error");
    assertEquals(errors.map((line) => JSON.parse(line).runId), ["run-0", "run-00"]);
  });

  it("sweeps every minute at rest, and every 10 s for 2 minutes from a request on", async () => {
    using kv = await Deno.openKv(":memory:");
    const meter = meteredKv(kv);
    const runtime = new FakeRuntime(NOON);
    const { deadRuns } = open(meter.kv, runtime);
    /** How often it sweeps in so many seconds. */
    const sweepsIn = async (seconds: number) => {
      meter.take();
      for (let second = 0; second < seconds; second++) {
        await runtime.advance(1_000);
        await meter.idle();
      }
      return meter.take().lists;
    };
    deadRuns.start();
    // What others run is not known yet.
    assertEquals(await sweepsIn(10), 1);
    assertEquals([await sweepsIn(59), await sweepsIn(1), await sweepsIn(600)], [0, 1, 10]);
    await sweepsIn(30);
    meter.take();
    deadRuns.wake();
    // At once, before the clock goes on.
    await runtime.advance(0);
    await meter.idle();
    assertEquals(meter.take().lists, 1);
    assertEquals([await sweepsIn(120), await sweepsIn(600)], [12, 10]);
    await deadRuns.close();
  });

  for (const asked of [0, 7, 25]) {
    it(`frees a dead process's slot within 30 s of a request, ${asked} s after its death`, async () => {
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
      alive.deadRuns.start();
      // At rest: it has just looked, and looks again in a minute.
      await wait(11);
      await dead.admit(1);
      dead.admission.close();
      await wait(asked);
      alive.deadRuns.wake();
      await wait(30);
      assertEquals(await liveRuns(), 0);
      await alive.deadRuns.close();
    });
  }

  it("settles what a dead process has left within 90 s where nobody asks anything", async () => {
    using kv = await Deno.openKv(":memory:");
    const meter = meteredKv(kv);
    const runtime = new FakeRuntime(NOON);
    const [dead, ...alive] = [open(kv, runtime), open(meter.kv, runtime), open(meter.kv, runtime)];
    for (const { deadRuns } of alive) deadRuns.start();
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
    for (const { deadRuns } of alive) await deadRuns.close();
  });

  it("sweeps every 10 s, whatever fails, until it is closed", async () => {
    const runtime = new FakeRuntime(NOON);
    let sweeps = 0;
    const broken = {
      list() {
        sweeps++;
        throw new TypeError("database is locked");
      },
    };
    const { deadRuns, logged } = open(broken as unknown as Deno.Kv, runtime);
    await runtime.advance(SWEEP_INTERVAL_MS);
    assertEquals(sweeps, 0);
    deadRuns.start();
    await runtime.advance(3 * SWEEP_INTERVAL_MS);
    assertEquals([sweeps, logged.length], [3, 3]);
    await deadRuns.close();
    await runtime.advance(3 * SWEEP_INTERVAL_MS);
    assertEquals([sweeps, runtime.sleeping], [3, 0]);
  });
});

describe("Admission.settle", () => {
  it("keeps no run alive that could not be settled: a sweep does it", async () => {
    using kv = await Deno.openKv(":memory:");
    const { runtime, advance } = world();
    let broken = false;
    const bad = { random: () => broken ? 0 : 1, locked: 0.5 };
    const process = open(flakyKv(kv, bad).kv, runtime);
    await process.admit(1, 70);
    broken = true;
    const failed = await process.settle(1, 30).then(() => false, () => true);
    broken = false;
    assertEquals([failed, process.admission.isRunning("run-1")], [true, false]);
    await sweepOrphaned(process.deadRuns, advance);
    assertEquals((await valuesOf<RunRecord>(kv, ["runs"])).map(({ cost }) => cost), [70]);
  });
});
