/** A visitor's limits at 1,000 concurrent messages, in one process and in several. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  facts,
  frozenRuntime,
  NOON,
  openAdmission,
  outcome,
  settlement,
  tally,
  TENANT,
} from "@/tests/support/admissions.ts";
import { contentCipher } from "@/tests/support/content.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { OPEN_LIMITS, RUN_END, runRequest } from "@/tests/support/run_requests.ts";
import { createLogger } from "../platform/log.ts";
import { systemRuntime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import { interruptedEnd } from "../store/runs/run_record.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { visitorHash } from "../store/visitors/visitor_ids.ts";
import type { VisitorAccount } from "../store/visitors/visitor_account_record.ts";
import { Admission } from "./admission.ts";
import { FailureDetector, SILENCE_TIMEOUT_MS } from "./failure_detector.ts";
import { OrphanedRunSweeper } from "./orphaned_run_sweeper.ts";
import { VisitorAccounts } from "./visitor_accounts.ts";

const VISITOR = "ada@customer.example";
const HASH = visitorHash(contentCipher(), TENANT, VISITOR);
const LIMITS = { ...OPEN_LIMITS, streams: 10_000, hardDailyCost: 1e9 };

const DEPLOYMENTS = {
  "one process": (kv: Deno.Kv) => [openAdmission(kv)],
  "two processes": (kv: Deno.Kv) => [openAdmission(kv), openAdmission(kv)],
  "three processes over a bad connection": (kv: Deno.Kv) => {
    const bad = { random: seeded(7), ambiguous: 0.1, locked: 0.1, turns: 6 };
    return [1, 2, 3].map(() => openAdmission(flakyKv(kv, bad).kv));
  },
};

function accounts(kv: Deno.Kv, runtime = frozenRuntime): VisitorAccounts {
  const committer = new GroupCommitter(kv, { runtime });
  return new VisitorAccounts({ kv, committer, content: contentCipher(), runtime });
}

const message = (n: number, hold = 0, minHold = hold) => {
  const run = { ...facts(n), visitor: HASH };
  return runRequest(n, { run, hold, minHold, limits: LIMITS });
};

async function accountOf(kv: Deno.Kv): Promise<VisitorAccount> {
  return (await kv.get<VisitorAccount>(keys.visitorAccount(TENANT, HASH))).value!;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

for (const [name, deploy] of Object.entries(DEPLOYMENTS)) {
  describe(`a visitor's limits, ${name}`, () => {
    it("admit exactly 100 of 1,000 concurrent messages", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      await accounts(kv).setLimits(TENANT, VISITOR, { messages: 100, per: "day" });
      const runOf = async (n: number) => {
        const admission = all[n % all.length]!;
        const result = await outcome(admission.admit(message(n)));
        if (result === "admitted") await admission.settle(`run-${n}`, settlement(0));
        return result;
      };
      const tries = Array.from({ length: 1_000 }, (_, n) => runOf(n));
      const result = tally(await Promise.all(tries));
      assertEquals(result, { admitted: 100, visitor_messages: 900 });
      const { total, runs } = await accountOf(kv);
      assertEquals([total.messages, runs], [100, {}]);
      all.forEach((one) => one.close());
    });

    it("a message that no model accepts leaves its place to another", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      await accounts(kv).setLimits(TENANT, VISITOR, { messages: 20, per: "total" });
      let answered = 0;
      const runOf = async (n: number) => {
        const admission = all[n % all.length]!;
        const result = await outcome(admission.admit(message(n)));
        if (result !== "admitted") return;
        const opened = n % 3 === 0;
        await admission.settle(`run-${n}`, { ...settlement(0), opened });
        if (opened) answered++;
      };
      await Promise.all(Array.from({ length: 200 }, (_, n) => runOf(n)));
      for (let n = 200; n < 400; n++) await runOf(n);
      assertEquals(answered, 20);
      assertEquals((await accountOf(kv)).total.messages, 20);
      all.forEach((one) => one.close());
    });

    it("never spend or hold more than the visitor's cost, and reach it", async () => {
      using kv = await Deno.openKv(":memory:");
      const all = deploy(kv);
      const limit = 1_000_000;
      await accounts(kv).setLimits(TENANT, VISITOR, { costUsd: 1, per: "month" });
      const random = seeded(3);
      let settled = 0;
      const runOf = async (n: number) => {
        const admission = all[n % all.length]!;
        const hold = 5_000 + Math.floor(random() * 20_000);
        const result = await outcome(admission.admit(message(n, hold, 1)));
        const account = await accountOf(kv);
        const held = Object.values(account.runs).reduce((sum, run) => sum + run.hold, 0);
        assert(account.total.cost + held <= limit, `${account.total.cost} and ${held}`);
        if (result !== "admitted") return result;
        await turn();
        // Every tenth run asks for more, and some providers report more than was held.
        if (n % 10 === 0) await admission.reserve(`run-${n}`, { hold: hold * 2, least: hold });
        const cost = Math.floor(hold * (0.5 + random()));
        const { charged } = await admission.settle(`run-${n}`, settlement(cost));
        settled += charged;
        return result;
      };
      const outcomes = await Promise.all(Array.from({ length: 1_000 }, (_, n) => runOf(n)));
      for (let n = 1_000; n < 2_000 && settled < limit; n++) outcomes.push(await runOf(n));
      const { admitted, ...rejected } = tally(outcomes);
      assertEquals(rejected, { visitor_cost: outcomes.length - admitted! });
      const { total, runs, months } = await accountOf(kv);
      assertEquals([total.cost, settled, runs], [limit, limit, {}]);
      assertEquals(months["2026-01"]?.cost, limit);
      all.forEach((one) => one.close());
    });
  });
}

Deno.test("a visitor's limits: a lower limit applies to the next message, and a mint to all processes", async () => {
  using kv = await Deno.openKv(":memory:");
  const [a, b] = [openAdmission(kv), openAdmission(kv)];
  const settings = accounts(kv);
  const send = (admission: Admission, n: number) => outcome(admission.admit(message(n)));
  assertEquals([await send(a, 1), await send(b, 2)], ["admitted", "admitted"]);
  await settings.setLimits(TENANT, VISITOR, { messages: 3, per: "total" });
  assertEquals([await send(a, 3), await send(b, 4)], ["admitted", "visitor_messages"]);
  await settings.setLimits(TENANT, VISITOR, { messages: 4, per: "day" });
  assertEquals([await send(b, 5), await send(a, 6)], ["admitted", "visitor_messages"]);
  await settings.setLimits(TENANT, VISITOR, { per: "day" });
  assertEquals(await send(a, 7), "admitted");
  [a, b].forEach((one) => one.close());
});

Deno.test("a visitor's limits: unchanged limits write nothing", async () => {
  using kv = await Deno.openKv(":memory:");
  const limits = { messages: 3, costUsd: 0.5, per: "total" } as const;
  await accounts(kv).setLimits(TENANT, VISITOR, limits);
  const key = keys.visitorAccount(TENANT, HASH);
  const before = (await kv.get(key)).versionstamp;
  await accounts(kv).setLimits(TENANT, VISITOR, limits);
  assertEquals((await kv.get(key)).versionstamp, before);
});

Deno.test("a visitor's limits: runs of a killed process are charged their holds, and free the rest", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime: clock, advance } = instantRuntime(NOON);
  const runtime = { ...systemRuntime, ...clock };
  await accounts(kv, runtime).setLimits(TENANT, VISITOR, { costUsd: 0.001, per: "total" });
  const open = () => new Admission(new GroupCommitter(kv, { runtime }), { runtime });
  const [dead, alive] = [open(), open()];
  for (const n of [1, 2]) await dead.admit(message(n, 400));
  await dead.settle("run-1", { end: RUN_END, cost: 150, ceiling: 1e9 });
  dead.close();
  const sweeper = new OrphanedRunSweeper(kv, {
    admission: alive,
    failureDetector: new FailureDetector(runtime),
    runtime,
    log: createLogger({ json: true, write: () => {} }),
    settle: (run, lease) => alive.settleOrphaned(run, { lease, end: interruptedEnd(run.run) }),
  });
  assertEquals(await outcome(alive.admit(message(3, 500))), "visitor_cost");
  await sweeper.sweep();
  advance(SILENCE_TIMEOUT_MS);
  await sweeper.sweep();
  const { total, runs } = await accountOf(kv);
  assertEquals([total.cost, total.messages, runs], [550, 2, {}]);
  assertEquals(await outcome(alive.admit(message(4, 450))), "admitted");
  assertEquals(await outcome(alive.admit(message(5, 1))), "visitor_cost");
  alive.close();
});

Deno.test("a visitor's limits: an account that was deleted does not come back with a settlement", async () => {
  using kv = await Deno.openKv(":memory:");
  const admission = openAdmission(kv);
  await admission.admit(message(1, 100));
  await kv.delete(keys.visitorAccount(TENANT, HASH));
  const { charged } = await admission.settle("run-1", settlement(60));
  assertEquals([charged, await accountOf(kv)], [60, null as never]);
  admission.close();
});
