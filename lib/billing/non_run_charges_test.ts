import { assertEquals } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { keys } from "../store/keys/keys.ts";
import { NO_AGENT, type UsageRow } from "../store/runs/usage_rows.ts";
import { countSlots, currentLedger, type Ledger, sumHolds } from "./ledger.ts";
import { dayOf } from "../platform/utc_day.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { NonRunCharges } from "./non_run_charges.ts";

const TENANT = fakeUuid(801);
const NOON = Date.UTC(2026, 0, 2, 12);
const HARD = 1_000;
const USED = {
  agentId: NO_AGENT,
  source: { kind: "key", id: "knowledge" },
  provider: "vendor_a",
  model: "emb",
  inputTokens: 40,
  cost: 100,
} as const;

function sideCosts(kv: Deno.Kv) {
  const runtime = new FakeRuntime(NOON);
  const limits = { ...DEFAULT_LIMITS, hardDailyCost: HARD };
  const costs = new NonRunCharges(new GroupCommitter(kv, { runtime }), {
    runtime,
    limitsOf: () => Promise.resolve(limits),
  });
  const ledger = async () => {
    const stored = await kv.get<Ledger>(keys.tenantLedger(TENANT));
    const moment = { now: runtime.now(), period: dayOf(runtime.now()) };
    const { spent } = currentLedger(stored.value!, moment);
    return {
      spent,
      held: sumHolds(stored.value!, moment),
      slots: countSlots(stored.value!, moment),
    };
  };
  return { costs, runtime, ledger };
}

Deno.test("NonRunCharges: a hold takes no stream slot, and its cost is charged but counts as no run", async () => {
  using kv = await Deno.openKv(":memory:");
  const { costs, ledger } = sideCosts(kv);
  const hold = await costs.reserve(TENANT, 300);
  assertEquals(await ledger(), { spent: 0, held: 300, slots: 0 });
  await costs.settle(hold!, USED);
  await costs.settle(hold!, USED);
  assertEquals(await ledger(), { spent: 100, held: 0, slots: 0 });
  const day = dayOf(NOON);
  const row = { tenant: TENANT, day, agentId: NO_AGENT, source: "knowledge" };
  const { value } = await kv.get<UsageRow>(keys.usageRow(row));
  const usage = { runs: 0, failed: 0, inputTokens: 40, outputTokens: 0, cost: 100 };
  assertEquals(value?.models, { "vendor_a/emb": usage });
});

Deno.test("NonRunCharges: concurrent holds never exceed the day's budget", async () => {
  using kv = await Deno.openKv(":memory:");
  const { costs, ledger } = sideCosts(kv);
  const holds = await Promise.all([1, 2, 3, 4].map(() => costs.reserve(TENANT, 400)));
  assertEquals(holds.filter((hold) => hold !== undefined).length, 2);
  assertEquals((await ledger()).held, 800);
});

Deno.test("NonRunCharges: once the daily limit is spent, even free calls are rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  const { costs } = sideCosts(kv);
  const hold = await costs.reserve(TENANT, HARD);
  await costs.settle(hold!, { ...USED, cost: HARD });
  assertEquals(await costs.reserve(TENANT, 0), undefined);
});

Deno.test("NonRunCharges: a failed call costs nothing and leaves no usage", async () => {
  using kv = await Deno.openKv(":memory:");
  const { costs, ledger } = sideCosts(kv);
  await costs.settle((await costs.reserve(TENANT, 300))!, { ...USED, inputTokens: 0, cost: 0 });
  assertEquals(await ledger(), { spent: 0, held: 0, slots: 0 });
  assertEquals(await Array.fromAsync(kv.list({ prefix: ["usage_rows"] })), []);
});

Deno.test("NonRunCharges: a dead process's hold counts as spent once it has certainly died", async () => {
  using kv = await Deno.openKv(":memory:");
  const { costs, runtime, ledger } = sideCosts(kv);
  await costs.reserve(TENANT, 300);
  await runtime.advance(31 * 60_000);
  const hold = await costs.reserve(TENANT, 50);
  assertEquals(await ledger(), { spent: 300, held: 50, slots: 0 });
  await costs.settle(hold!, { ...USED, cost: 0 });
});

Deno.test("NonRunCharges: with any number of holds the day's ledger fits into a stored value", async () => {
  using kv = await Deno.openKv(":memory:");
  const { costs, runtime, ledger } = sideCosts(kv);
  const attempts = Array.from({ length: 1_000 }, () => costs.reserve(TENANT, 1));
  const holds = (await Promise.all(attempts)).filter((hold) => hold !== undefined);
  assertEquals([holds.length, (await ledger()).held], [800, 800]);
  // Holds of dead processes become free again.
  await runtime.advance(30 * 60_000);
  assertEquals(await costs.reserve(TENANT, 1) !== undefined, true);
});
