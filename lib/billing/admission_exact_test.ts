import { setImmediate } from "node:timers";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  AGENT,
  count,
  facts,
  frozenRuntime,
  ledgerOf,
  openAdmission,
  outcome,
  request,
  settlement,
  tally,
  TENANT,
  TODAY,
  usageOf,
  valuesOf,
} from "@/tests/support/admissions.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS } from "@/tests/support/run_requests.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { ApiError } from "../schemas/api_error.ts";
import { keys } from "../store/keys/keys.ts";
import { SessionStore } from "../store/credentials/session_store.ts";
import type { RunRecord } from "../store/runs/run_record.ts";
import { SUGGESTED_VISITOR_LIMITS } from "../schemas/limits.ts";
import type { Admission } from "./admission.ts";
import { type Lease, sumHolds } from "./ledger.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";

/** One admission, or three with separate caches behind an unreliable connection. */
const DEPLOYMENTS = {
  "one process": (kv: Deno.Kv) => [openAdmission(kv)],
  "three processes over a bad connection": (kv: Deno.Kv) => {
    const bad = { random: seeded(7), ambiguous: 0.1, locked: 0.1, turns: 6 };
    return [1, 2, 3].map(() => openAdmission(flakyKv(kv, bad).kv));
  },
};

for (const [name, deploy] of Object.entries(DEPLOYMENTS)) {
  describe(`Admission, ${name}`, () => {
    it("admits exactly 10 of 60 concurrent streams", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const tries = Array.from({ length: 60 }, (_, n) => all[n % all.length]!.admit(request(n)));
      const result = tally(await Promise.all(tries.map(outcome)));
      assertEquals(result, { admitted: 10, tenant_streams: 50 });
      all.forEach((one) => one.close());
    });

    it("admits exactly 50 of 200 concurrent messages of a session", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const sessions = new SessionStore(kv, frozenRuntime);
      const { sessionToken } = await sessions.mint(TENANT, { agentId: AGENT });
      const sessionHash = await sha256(sessionToken);
      const limits = { ...OPEN_LIMITS, streams: 1_000 };
      const tries = Array.from({ length: 200 }, (_, n) => {
        return all[n % all.length]!.admit(request(n, { sessionHash, limits }));
      });
      const result = tally(await Promise.all(tries.map(outcome)));
      assertEquals(result, { admitted: 50, session_messages: 150 });
      assertEquals((await sessions.get(sessionToken))?.messages, 50);
      all.forEach((one) => one.close());
    });

    it("admits exactly 20 messages, 60 requests per key and 100 per address", async () => {
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

    it("limits each session to 2 streams and 0.25 USD, and an address's visitors to 1 USD, at 1,000 concurrent runs", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const sessions = new SessionStore(kv, frozenRuntime);
      const minted = Array.from({ length: 10 }, () => sessions.mint(TENANT, { agentId: AGENT }));
      const hashes = await Promise.all(
        (await Promise.all(minted)).map(({ sessionToken }) => sha256(sessionToken)),
      );
      const limits = { ...OPEN_LIMITS, ...SUGGESTED_VISITOR_LIMITS, streams: 800 };
      const random = seeded(5);
      const spent = new Map<string, number>();
      const running = new Map<string, number>();
      const runOf = async (n: number) => {
        const sessionHash = hashes[n % hashes.length]!;
        const admission = all[n % all.length]!;
        const hold = 20_000 + Math.floor(random() * 60_000);
        const visit = request(n, { sessionHash, hold, minHold: hold, limits });
        const result = await outcome(admission.admit(visit));
        if (result !== "admitted") return result;
        running.set(sessionHash, (running.get(sessionHash) ?? 0) + 1);
        assert(running.get(sessionHash)! <= 2, "a third stream of one session");
        await new Promise((resolve) => setImmediate(resolve));
        running.set(sessionHash, running.get(sessionHash)! - 1);
        const { charged } = await admission.settle(`run-${n}`, settlement(hold));
        spent.set(sessionHash, (spent.get(sessionHash) ?? 0) + charged);
        return result;
      };
      const result: string[] = [];
      for (const start of [0, 1_000, 2_000]) {
        const tries = Array.from({ length: 1_000 }, (_, n) => runOf(start + n));
        result.push(...await Promise.all(tries));
      }
      const counts = tally(result);
      assert(counts.session_streams! > 0 && counts.ip_daily_cost! > 0, JSON.stringify(counts));
      const sums = [...spent.values()];
      assert(sums.every((sum) => sum <= 250_000), "a session past its 0.25 USD");
      const sum = sums.reduce((a, b) => a + b, 0);
      assert(sum <= 1_000_000 && sum > 900_000, `the address spent ${sum}`);
      // The tenant's API key is no visitor, so the same address can still use the day's budget.
      const source = { kind: "key" as const, id: "key-1" };
      const own = request(9_000, { run: { ...facts(9_000), source }, hold: 80_000, limits });
      assertEquals(await outcome(all[0]!.admit(own)), "admitted");
      assertEquals((await ledgerOf(kv)).spent, sum);
      all.forEach((one) => one.close());
    });

    const streams = name === "one process" ? [800, 10_000] : [10_000];
    it(`never spends or holds more than the daily limit, reaches it, and the ledger balances (${streams} streams)`, async () => {
      for (const one of streams) await checkBalance(deploy, { ...OPEN_LIMITS, streams: one });
    });

    it("returns the same run for a repeated message, and counts it as a request only", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const receipt = {
        key: keys.chatIdempotencyRecord(TENANT, "scope"),
        fingerprint: "body",
        ttlMs: 86_400_000,
      };
      const limits = { ...OPEN_LIMITS, ipRequests: 40, ipMessages: 1 };
      const tries = Array.from({ length: 60 }, (_, n) => {
        return all[n % all.length]!.admit(request(n, { idempotency: receipt, limits }));
      });
      const result = tally(await Promise.all(tries.map(outcome)));
      assertEquals(result, { admitted: 1, replayed: 39, ip: 20 });
      const other = { ...receipt, fingerprint: "another body" };
      const error = await assertRejects(
        () => all[0]!.admit(request(99, { idempotency: other })),
        ApiError,
      );
      assertEquals([error.code, error.status], ["idempotency_key_reused", 422]);
      all.forEach((one) => one.close());
    });
  });
}

/** Runs end while others begin, until the day's limit is spent. */
async function checkBalance(deploy: (kv: Deno.Kv) => Admission[], limits: Limits): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const all = deploy(kv);
  const random = seeded(3);
  let settled = 0;
  const runOf = async (n: number) => {
    const admission = all[n % all.length]!;
    const hold = 10_000 + Math.floor(random() * 50_000);
    const result = await outcome(
      admission.admit(request(n, { hold, minHold: 10, limits })),
    );
    const ledger = await ledgerOf(kv);
    assert(ledger.spent + sumHolds(ledger, TODAY) <= limits.hardDailyCost);
    if (result !== "admitted") return result;
    const held = ledger.runs[`run-${n}`] ??
      (await kv.get<Lease>(keys.runHold(TENANT, `run-${n}`))).value!;
    const cost = Math.floor(random() * (held.hold + 1));
    const { charged } = await admission.settle(`run-${n}`, settlement(cost));
    settled += charged;
    return result;
  };
  const outcomes = await Promise.all(Array.from({ length: 1_000 }, (_, n) => runOf(n)));
  // A few more runs use up what the holds had reserved.
  for (let n = 1_000; n < 2_000 && settled < limits.hardDailyCost - 100; n++) {
    outcomes.push(await runOf(n));
  }
  const result = tally(outcomes);
  const ledger = await ledgerOf(kv);
  assertEquals([ledger.spent, ledger.runs], [settled, {}]);
  assert(settled >= limits.hardDailyCost - 100, `only ${settled} was used`);
  assertEquals(result.tenant_daily_cost, outcomes.length - result.admitted!);
  const records = await valuesOf<RunRecord>(kv, ["runs", TENANT]);
  assertEquals(records.length, result.admitted);
  assertEquals(records.reduce((sum, run) => sum + run.cost, 0), settled);
  const used = await usageOf(kv);
  assertEquals([used.cost, used.runs], [settled, result.admitted]);
  assertEquals(await valuesOf(kv, keys.activeRuns()), []);
  all.forEach((one) => one.close());
}
