import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { FakeSystem, fakeUuid } from "@/tests/support/fake_system.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS, RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { Committer } from "../committer/committer.ts";
import { sha256 } from "../credentials/hashing.ts";
import { ApiError } from "../errors.ts";
import { keys } from "../storage/keys.ts";
import { SessionStore } from "../storage/session_store.ts";
import { realSystem, type System } from "../system.ts";
import type { RunEnd, RunRecord } from "../usage/run_record.ts";
import { SESSIONS, type UsageRow } from "../usage/usage_rows.ts";
import { Admission } from "./admission.ts";
import type { Caller } from "./count_request.ts";
import type { RunRequest } from "./decide_run.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import {
  currentLedger,
  dayOf,
  HEARTBEAT_MS,
  heldBy,
  LEASE_MS,
  leaseOf,
  type Ledger,
} from "./ledger.ts";
import { type LiveRun, liveRunSchema } from "../storage/live_run.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const TODAY = { now: NOON, period: dayOf(NOON) };
const TENANT = fakeUuid(801);
const AGENT = fakeUuid(901);

/** A standing clock; waits between tries pass at once, heartbeats never come. */
const standing: System = {
  ...realSystem,
  now: () => NOON,
  sleep: (ms, signal) => ms < 1_000 ? Promise.resolve() : untilAborted(signal),
};

function untilAborted(signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Runs of a widget session. */
const facts = (n: number) => runFacts(n, { source: { kind: "session", id: fakeUuid(600) } });

const settlement = (cost: number) => ({ end: RUN_END, cost, ceiling: 1e9 });

const request = (n: number, change: Partial<RunRequest> = {}) =>
  runRequest(n, { run: facts(n), ...change });

let counted = 1_000_000;
/** Counts a request of its own. */
function count(admission: Admission, caller: Caller, limits: Limits) {
  return admission.countRequest({ id: counted++, caller, limits });
}

function open(kv: Deno.Kv, system: System = standing): Admission {
  return new Admission(new Committer(kv, { system }), { system });
}

/** The scope of the limit that refused, or `admitted`. */
async function outcome(admitted: Promise<unknown>): Promise<string> {
  try {
    const told = await admitted as { kind?: string };
    return told.kind ?? "admitted";
  } catch (error) {
    assert(error instanceof ApiError, String(error));
    return String(error.details?.scope);
  }
}

function tally(outcomes: string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(outcomes, (one) => one)].map(([name, all]) => [name, all.length]),
  );
}

async function ledgerOf(kv: Deno.Kv): Promise<Ledger> {
  const stored = (await kv.get<Ledger>(keys.tenantLedger(TENANT))).value ?? undefined;
  return currentLedger(stored, TODAY);
}

/** One admission, or three with caches of their own behind a bad connection. */
const DEPLOYMENTS = {
  "one process": (kv: Deno.Kv) => [open(kv)],
  "three processes over a bad connection": (kv: Deno.Kv) => {
    const bad = { random: seeded(7), ambiguous: 0.1, locked: 0.1, turns: 6 };
    return [1, 2, 3].map(() => open(flakyKv(kv, bad).kv));
  },
};

for (const [name, deploy] of Object.entries(DEPLOYMENTS)) {
  describe(`Admission, ${name}`, () => {
    it("lets exactly 10 of 60 concurrent streams in", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const tries = Array.from({ length: 60 }, (_, n) => all[n % all.length]!.admit(request(n)));
      const told = tally(await Promise.all(tries.map(outcome)));
      assertEquals(told, { admitted: 10, tenant_streams: 50 });
      all.forEach((one) => one.close());
    });

    it("lets exactly 50 of 200 concurrent messages of a session in", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const sessions = new SessionStore(kv, standing);
      const { sessionToken } = await sessions.mint(TENANT, { agentId: AGENT });
      const sessionHash = await sha256(sessionToken);
      const limits = { ...OPEN_LIMITS, streams: 1_000 };
      const tries = Array.from({ length: 200 }, (_, n) => {
        return all[n % all.length]!.admit(request(n, { sessionHash, limits }));
      });
      const told = tally(await Promise.all(tries.map(outcome)));
      assertEquals(told, { admitted: 50, session_messages: 150 });
      assertEquals((await sessions.get(sessionToken))?.messages, 50);
      all.forEach((one) => one.close());
    });

    it("lets exactly 20 messages, 60 requests a key and 100 an address in", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const at = (n: number) => all[n % all.length]!;
      const limits = { ...DEFAULT_LIMITS, streams: 1_000 };
      const messages = Array.from({ length: 70 }, (_, n) => at(n).admit(request(n, { limits })));
      assertEquals(tally(await Promise.all(messages.map(outcome))), { admitted: 20, ip_chat: 50 });
      const keyed = { address: "address-2", apiKey: { tenant: TENANT, id: "key-1" } };
      const byKey = Array.from({ length: 90 }, (_, n) => count(at(n), keyed, limits));
      assertEquals(tally(await Promise.all(byKey.map(outcome))), { admitted: 60, key: 30 });
      const bare = { address: "address-3" };
      const byAddress = Array.from({ length: 150 }, (_, n) => count(at(n), bare, limits));
      assertEquals(tally(await Promise.all(byAddress.map(outcome))), { admitted: 100, ip: 50 });
      all.forEach((one) => one.close());
    });

    it("never spends or holds past the day's limit, reaches it, and the ledger balances", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const random = seeded(3);
      const limits = { ...OPEN_LIMITS, streams: 1_000 };
      let settled = 0;
      const runOf = async (n: number) => {
        const admission = all[n % all.length]!;
        const hold = 10_000 + Math.floor(random() * 50_000);
        const told = await outcome(admission.admit(request(n, { hold, least: 10, limits })));
        const ledger = await ledgerOf(kv);
        assert(ledger.spent + heldBy(ledger, TODAY) <= limits.hardDailyCost);
        if (told !== "admitted") return told;
        const cost = Math.floor(random() * (ledger.runs[`run-${n}`]!.hold + 1));
        const { charged } = await admission.settle(`run-${n}`, settlement(cost));
        settled += charged;
        return told;
      };
      const outcomes = await Promise.all(Array.from({ length: 1_000 }, (_, n) => runOf(n)));
      // What the holds of the many kept back is used up by some more.
      for (let n = 1_000; n < 2_000 && settled < limits.hardDailyCost - 100; n++) {
        outcomes.push(await runOf(n));
      }
      const told = tally(outcomes);
      const ledger = await ledgerOf(kv);
      assertEquals([ledger.spent, ledger.runs], [settled, {}]);
      assert(settled >= limits.hardDailyCost - 100, `only ${settled} was used`);
      assertEquals(told.tenant_daily_cost, outcomes.length - told.admitted!);
      const records = await valuesOf<RunRecord>(kv, ["runs", TENANT]);
      assertEquals(records.length, told.admitted);
      assertEquals(records.reduce((sum, run) => sum + run.cost, 0), settled);
      const day = dayOf(NOON);
      const row = keys.usageRow({ tenant: TENANT, day, agentId: AGENT, source: SESSIONS });
      const used = (await kv.get<UsageRow>(row)).value?.models["vendor_a/mid"];
      assertEquals([used?.cost, used?.runs], [settled, told.admitted]);
      assertEquals(await valuesOf(kv, keys.liveRuns()), []);
      all.forEach((one) => one.close());
    });

    it("answers a message sent again by the run it began, and counts it as a request only", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const receipt = {
        key: keys.chatReceipt(TENANT, "scope"),
        fingerprint: "body",
        keptMs: 86_400_000,
      };
      const limits = { ...OPEN_LIMITS, ipRequests: 40, ipMessages: 1 };
      const tries = Array.from({ length: 60 }, (_, n) => {
        return all[n % all.length]!.admit(request(n, { receipt, limits }));
      });
      const told = tally(await Promise.all(tries.map(outcome)));
      assertEquals(told, { admitted: 1, replayed: 39, ip: 20 });
      const other = { ...receipt, fingerprint: "another body" };
      const error = await assertRejects(
        () => all[0]!.admit(request(99, { receipt: other })),
        ApiError,
      );
      assertEquals([error.code, error.status], ["idempotency_key_reused", 422]);
      all.forEach((one) => one.close());
    });
  });
}

async function valuesOf<T>(kv: Deno.Kv, prefix: Deno.KvKey): Promise<T[]> {
  return (await Array.fromAsync(kv.list<T>({ prefix }))).map(({ value }) => value);
}

describe("Admission", () => {
  it("writes nothing for what it refuses, and reads nothing for a full window", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const admission = open(watched);
    const limits = { ...DEFAULT_LIMITS, ipRequests: 1 };
    await count(admission, { address: "a" }, limits);
    const before = { ...traffic };
    assertEquals(await outcome(count(admission, { address: "a" }, limits)), "ip");
    assertEquals(traffic, before);
  });

  it("lets a warm message in with one commit and settles it with one", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const admission = open(watched);
    await admission.admit(request(1));
    assertEquals(traffic, { reads: 1, commits: 1 });
    await admission.settle("run-1", settlement(5));
    // The day's row of usage is read once, with the first settlement of the process.
    assertEquals(traffic, { reads: 2, commits: 2 });
    await admission.admit(request(2));
    await admission.settle("run-2", settlement(5));
    assertEquals(traffic, { reads: 2, commits: 4 });
    assertEquals((await ledgerOf(kv)).spent, 10);
  });

  it("keeps a run's slot until it is settled, though its lease has lapsed by a fast clock", async () => {
    using kv = await Deno.openKv(":memory:");
    const system = new FakeSystem();
    const fast = { ...system, now: () => system.now() + LEASE_MS + 1 };
    const [behind, ahead] = [open(kv, system), open(kv, fast)];
    const limits = { ...OPEN_LIMITS, streams: 2 };
    for (const n of [1, 2]) await behind.admit(request(n, { limits }));
    assertEquals(await outcome(ahead.admit(request(3, { limits }))), "tenant_streams");
    await behind.settle("run-1", settlement(0));
    assertEquals(await outcome(ahead.admit(request(3, { limits }))), "admitted");
    for (const admission of [behind, ahead]) admission.close();
  });

  it("tells a wait to midnight when the day is spent, and a short one when it is only held", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = open(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 100 }));
    const held = await assertRejects(
      () => admission.admit(request(2, { limits, hold: 1 })),
      ApiError,
    );
    assertEquals([held.code, held.headers["retry-after"]], ["plan_limit_exceeded", "2"]);
    await admission.settle("run-1", settlement(100));
    const spent = await assertRejects(() => admission.admit(request(3, { limits })), ApiError);
    assertEquals([spent.code, spent.headers["retry-after"]], ["plan_limit_exceeded", "43200"]);
    admission.close();
  });

  it("tells a wait to midnight when what is left of the day does not pay for the least", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = open(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 95 }));
    await admission.settle("run-1", settlement(95));
    const error = await assertRejects(
      () => admission.admit(request(2, { limits, hold: 6 })),
      ApiError,
    );
    assertEquals([error.code, error.headers["retry-after"]], ["plan_limit_exceeded", "43200"]);
    assertEquals(await outcome(admission.admit(request(3, { limits, hold: 5 }))), "admitted");
    admission.close();
  });

  it("answers nothing for a session that has ended", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = open(kv);
    assertEquals(await outcome(admission.admit(request(1, { sessionHash: "none" }))), "gone");
    admission.close();
  });

  it("grants what is left when it pays for the least a run can do", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = open(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 70 }));
    const told = await admission.admit(request(2, { limits, hold: 70, least: 10 }));
    assertEquals(told.kind === "admitted" && told.hold, 30);
    assertEquals(
      await outcome(admission.admit(request(3, { limits, hold: 5 }))),
      "tenant_daily_cost",
    );
    admission.close();
  });

  it("raises a running run's hold within the day, and says when there is no room", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = open(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 40 }));
    await admission.admit(request(2, { limits, hold: 30 }));
    assertEquals(await admission.reserve("run-1", { hold: 90, least: 60 }), 70);
    assertEquals(await admission.reserve("run-1", { hold: 90, least: 71 }), undefined);
    assertEquals(heldBy(await ledgerOf(kv), TODAY), 100);
    assertEquals(await admission.reserve("run-9", { hold: 1, least: 0 }), undefined);
    admission.close();
  });

  it("charges what a vendor reports beyond the hold up to the limits, and keeps the rest as excess", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = open(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 10 }));
    await admission.admit(request(2, { limits, hold: 30 }));
    assertEquals(await admission.settle("run-1", settlement(500)), { charged: 70, excess: 430 });
    const capped = { end: RUN_END, cost: 25, ceiling: 20 };
    assertEquals(await admission.settle("run-2", capped), { charged: 20, excess: 5 });
    assertEquals((await ledgerOf(kv)).spent, 90);
    admission.close();
  });

  it("holds one visitor to the plan's limits of a session and of an address's day", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = open(kv);
    const sessions = new SessionStore(kv, standing);
    const { sessionToken } = await sessions.mint(TENANT, { agentId: AGENT });
    const sessionHash = await sha256(sessionToken);
    const limits = { ...OPEN_LIMITS, sessionStreams: 1, sessionCost: 50, ipDailyCost: 80 };
    const ask = (n: number, change: Partial<RunRequest> = {}) =>
      outcome(admission.admit(request(n, { limits, sessionHash, hold: 30, ...change })));
    assertEquals([await ask(1), await ask(2)], ["admitted", "session_streams"]);
    await admission.settle("run-1", settlement(30));
    assertEquals(await ask(3), "session_cost");
    const elsewhere = { sessionHash: undefined };
    assertEquals([await ask(4, elsewhere), await ask(5, elsewhere)], ["admitted", "ip_daily_cost"]);
    assertEquals(await ask(6, { ...elsewhere, caller: { address: "address-2" } }), "admitted");
    admission.close();
  });

  it("settles a dead process's run with all it held, unless its lease has been renewed", async () => {
    using kv = await Deno.openKv(":memory:");
    const system = new FakeSystem(NOON);
    const [dead, alive] = [open(kv, system), open(kv, system)];
    await dead.admit(request(1, { hold: 70 }));
    dead.close();
    const [live] = await valuesOf<LiveRun>(kv, keys.liveRuns());
    const end: RunEnd = { ...RUN_END, finishReason: "interrupted" };
    const lease = leaseOf(await ledgerOf(kv), "run-1")!;
    const older = { ...lease, until: lease.until - 1 };
    const stored = liveRunSchema.parse(live);
    assertEquals(await alive.settleDead(stored, { end, lease: older }), undefined);
    assertEquals(await alive.settleDead(live!, { end, lease }), { charged: 70, excess: 0 });
    assertEquals(await alive.settleDead(live!, { end, lease }), undefined);
    const ledger = await ledgerOf(kv);
    assertEquals([ledger.spent, ledger.runs], [70, {}]);
    const [record] = await valuesOf<RunRecord>(kv, ["runs", TENANT]);
    assertEquals([record?.finishReason, record?.cost], ["interrupted", 70]);
  });

  it("tells of a run that was settled by others while its process stood still", async () => {
    using kv = await Deno.openKv(":memory:");
    const system = new FakeSystem(NOON);
    const lost = Promise.withResolvers<string>();
    const committer = new Committer(kv, { system });
    const admission = new Admission(committer, { system, onLost: lost.resolve });
    await admission.admit(request(1, { hold: 70 }));
    const key = keys.tenantLedger(TENANT);
    const stored = (await kv.get<Ledger>(key)).value!;
    await kv.set(key, { ...stored, runs: {} });
    await system.advance(HEARTBEAT_MS);
    assertEquals(await lost.promise, "run-1");
    admission.close();
  });
});
