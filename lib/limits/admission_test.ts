import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { FakeSystem, fakeUuid } from "@/tests/support/fake_system.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { Committer } from "../committer/committer.ts";
import { sha256 } from "../credentials/hashing.ts";
import { ApiError } from "../errors.ts";
import { keys } from "../storage/keys.ts";
import { SessionStore } from "../storage/session_store.ts";
import { realSystem, type System } from "../system.ts";
import { Admission, type RunRequest } from "./admission.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { currentLedger, heldBy, LEASE_MS, type TenantLedger } from "./tenant_ledger.ts";

const TENANT = fakeUuid(801);
const OPEN: Limits = { ...DEFAULT_LIMITS, ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6 };

/** A standing clock; waits between tries pass at once, heartbeats never come. */
const standing: System = {
  ...realSystem,
  now: () => Date.UTC(2026, 0, 2, 12),
  sleep: (ms, signal) => ms < 1_000 ? Promise.resolve() : untilAborted(signal),
};

function untilAborted(signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function request(n: number, change: Partial<RunRequest> = {}): RunRequest {
  const caller = { address: "address-1" };
  return { runId: `run-${n}`, tenant: TENANT, hold: 0, limits: OPEN, caller, ...change };
}

/** The scope of the limit that refused, or `admitted`. */
async function outcome(admitted: Promise<unknown>): Promise<string> {
  try {
    return await admitted === undefined ? "gone" : "admitted";
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

async function ledgerOf(kv: Deno.Kv): Promise<TenantLedger> {
  const stored = (await kv.get<TenantLedger>(keys.tenantLedger(TENANT))).value ?? undefined;
  return currentLedger(stored, standing.now());
}

/** One admission, or three with caches of their own behind a bad connection. */
const DEPLOYMENTS = {
  "one process": (
    kv: Deno.Kv,
  ) => [new Admission(new Committer(kv, { system: standing }), standing)],
  "three processes over a bad connection": (kv: Deno.Kv) => {
    const bad = { random: seeded(7), ambiguous: 0.1, locked: 0.1, turns: 6 };
    return [1, 2, 3].map(() =>
      new Admission(new Committer(flakyKv(kv, bad).kv, { system: standing }), standing)
    );
  },
};

for (const [name, open] of Object.entries(DEPLOYMENTS)) {
  describe(`Admission, ${name}`, () => {
    it("lets exactly 10 of 60 concurrent streams in", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = open(kv);
      const tries = Array.from({ length: 60 }, (_, n) => all[n % all.length]!.admit(request(n)));
      const told = tally(await Promise.all(tries.map(outcome)));
      assertEquals(told, { admitted: 10, tenant_streams: 50 });
      all.forEach((one) => one.close());
    });

    it("lets exactly 50 of 200 concurrent messages of a session in", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = open(kv);
      const sessions = new SessionStore(kv, standing);
      const { sessionToken } = await sessions.mint(TENANT, { agentId: fakeUuid(901) });
      const sessionHash = await sha256(sessionToken);
      const limits = { ...OPEN, streams: 1_000 };
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
      const all = open(kv);
      const at = (n: number) => all[n % all.length]!;
      const limits = { ...DEFAULT_LIMITS, streams: 1_000 };
      const messages = Array.from({ length: 70 }, (_, n) => at(n).admit(request(n, { limits })));
      assertEquals(tally(await Promise.all(messages.map(outcome))), { admitted: 20, ip_chat: 50 });
      const keyed = { address: "address-2", apiKeyId: "key-1" };
      const byKey = Array.from({ length: 90 }, (_, n) => at(n).countRequest(keyed, limits));
      assertEquals(tally(await Promise.all(byKey.map(outcome))), { admitted: 60, key: 30 });
      const bare = { address: "address-3" };
      const byAddress = Array.from({ length: 150 }, (_, n) => at(n).countRequest(bare, limits));
      assertEquals(tally(await Promise.all(byAddress.map(outcome))), { admitted: 100, ip: 50 });
      all.forEach((one) => one.close());
    });

    it("never spends or holds past the day's limit, reaches it, and the ledger balances", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = open(kv);
      const random = seeded(3);
      const limits = { ...OPEN, streams: 1_000 };
      let settled = 0;
      const runs = Array.from({ length: 400 }, async (_, n) => {
        const admission = all[n % all.length]!;
        const hold = 10_000 + Math.floor(random() * 50_000);
        const cost = Math.floor(random() * hold);
        const told = await outcome(admission.admit(request(n, { hold, limits })));
        const { spent, ...ledger } = await ledgerOf(kv);
        assert(spent + heldBy({ spent, ...ledger }) <= limits.hardDailyCost);
        if (told !== "admitted") return told;
        await admission.settle({ runId: `run-${n}`, tenant: TENANT, cost });
        settled += cost;
        return told;
      });
      const told = tally(await Promise.all(runs));
      const ledger = await ledgerOf(kv);
      assertEquals([ledger.spent, ledger.runs], [settled, {}]);
      assert((told.tenant_daily_cost ?? 0) > 0, JSON.stringify(told));
      all.forEach((one) => one.close());
    });
  });
}

describe("Admission", () => {
  it("writes nothing for what it refuses, and reads nothing for a full window", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const admission = new Admission(new Committer(watched, { system: standing }), standing);
    const limits = { ...DEFAULT_LIMITS, ipRequests: 1 };
    await admission.countRequest({ address: "a" }, limits);
    const before = { ...traffic };
    assertEquals(await outcome(admission.countRequest({ address: "a" }, limits)), "ip");
    assertEquals(traffic, before);
  });

  it("lets a warm message in with one commit and settles it with one", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const admission = new Admission(new Committer(watched, { system: standing }), standing);
    await admission.admit(request(1));
    assertEquals(traffic, { reads: 1, commits: 1 });
    await admission.settle({ runId: "run-1", tenant: TENANT, cost: 5 });
    await admission.admit(request(2));
    await admission.settle({ runId: "run-2", tenant: TENANT, cost: 5 });
    assertEquals(traffic, { reads: 1, commits: 4 });
    assertEquals((await ledgerOf(kv)).spent, 10);
  });

  it("keeps a running run's slot by its heartbeat, and frees a dead process's after the lease", async () => {
    using kv = await Deno.openKv(":memory:");
    const system = new FakeSystem();
    const alive = new Admission(new Committer(kv, { system }), system);
    const dead = new Admission(new Committer(kv, { system }), system);
    const limits = { ...OPEN, streams: 2 };
    await alive.admit(request(1, { limits }));
    await dead.admit(request(2, { limits }));
    dead.close();
    for (let beat = 0; beat < 4; beat++) {
      await system.advance(LEASE_MS / 3);
      // Goes through the same committer, so the beat before it has been committed by then.
      await alive.countRequest({ address: "address-2" }, OPEN);
    }
    assertEquals(await outcome(alive.admit(request(3, { limits }))), "admitted");
    assertEquals(await outcome(alive.admit(request(4, { limits }))), "tenant_streams");
    alive.close();
  });

  it("tells a wait to midnight when the day is spent, and a short one when it is only held", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = new Admission(new Committer(kv, { system: standing }), standing);
    const limits = { ...OPEN, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 100 }));
    const held = await assertRejects(
      () => admission.admit(request(2, { limits, hold: 1 })),
      ApiError,
    );
    assertEquals([held.code, held.headers["retry-after"]], ["plan_limit_exceeded", "2"]);
    await admission.settle({ runId: "run-1", tenant: TENANT, cost: 100 });
    const spent = await assertRejects(() => admission.admit(request(3, { limits })), ApiError);
    assertEquals([spent.code, spent.headers["retry-after"]], ["plan_limit_exceeded", "43200"]);
    admission.close();
  });

  it("answers nothing for a session that has ended", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = new Admission(new Committer(kv, { system: standing }), standing);
    assertEquals(await outcome(admission.admit(request(1, { sessionHash: "none" }))), "gone");
    admission.close();
  });
});
