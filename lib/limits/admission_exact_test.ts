import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  AGENT,
  count,
  ledgerOf,
  NOON,
  openAdmission,
  outcome,
  request,
  settlement,
  standing,
  tally,
  TENANT,
  TODAY,
  valuesOf,
} from "@/tests/support/admissions.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS } from "@/tests/support/run_requests.ts";
import { sha256 } from "../credentials/hashing.ts";
import { ApiError } from "../errors.ts";
import { keys } from "../storage/keys.ts";
import { SessionStore } from "../storage/session_store.ts";
import type { RunRecord } from "../usage/run_record.ts";
import { SESSIONS, type UsageRow } from "../usage/usage_rows.ts";
import { dayOf, heldBy } from "./ledger.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

/** One admission, or three with caches of their own behind a bad connection. */
const DEPLOYMENTS = {
  "one process": (kv: Deno.Kv) => [openAdmission(kv)],
  "three processes over a bad connection": (kv: Deno.Kv) => {
    const bad = { random: seeded(7), ambiguous: 0.1, locked: 0.1, turns: 6 };
    return [1, 2, 3].map(() => openAdmission(flakyKv(kv, bad).kv));
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
