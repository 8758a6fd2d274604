import { assertEquals } from "@std/assert";
import { countingKv } from "@/tests/support/counting_kv.ts";
import { keys } from "../store/keys/keys.ts";
import { UsageAggregator } from "./usage_aggregator.ts";
import { NO_USAGE, type UsageRow } from "../store/runs/usage_rows.ts";

const TODAY = "2026-01-15";
const LEDGER = keys.tenantLedger("tenant");

/** Words for using a thousandth of a dollar on a day, and for adding up days. */
function opened(kv: Deno.Kv, options: { maxCached?: number } = {}) {
  const days = new UsageAggregator(kv, options);
  const use = async (
    day: string,
    { agentId = "agent", tenant = "tenant", source = "sessions" } = {},
  ) => {
    const key = keys.usageRow({ tenant, day, agentId, source });
    const runs = ((await kv.get<UsageRow>(key)).value?.models["vendor_a/m"]?.runs ?? 0) + 1;
    const models = { "vendor_a/m": { ...NO_USAGE, runs, cost: 1_000 * runs } };
    // As a settlement does: the row and the ledger in one commit.
    await kv.atomic().set(key, { v: 1, models }).set(LEDGER, day).commit();
  };
  const sums = async (from: string, to: string, tenant = "tenant") => {
    const ledger = [await kv.get<never>(LEDGER)];
    return await days.totals(tenant, { range: { from, to }, today: TODAY, ledger });
  };
  return { use, sums };
}

Deno.test("UsageAggregator: adds up the days of a range by day, agent, model and key", async () => {
  using kv = await Deno.openKv(":memory:");
  const { use, sums } = opened(kv);
  await use("2026-01-01", { agentId: "a" });
  await use("2026-01-02", { agentId: "b", source: "key" });
  await use("2026-01-02", { agentId: "a" });
  await use("2026-01-03");
  await use("2026-01-02", { tenant: "other" });
  const { day, agent, model, key } = await sums("2026-01-01", "2026-01-02");
  const costs = (of: typeof day) =>
    Object.fromEntries([...of].map(([name, { cost }]) => [name, cost]));
  assertEquals(costs(day), { "2026-01-01": 1_000, "2026-01-02": 2_000 });
  assertEquals(costs(agent), { a: 2_000, b: 1_000 });
  assertEquals(costs(model), { "vendor_a/m": 3_000 });
  assertEquals(costs(key), { sessions: 2_000, key: 1_000 });
});

Deno.test("UsageAggregator: new settlements are in the next totals, and final days are read once", async () => {
  using memory = await Deno.openKv(":memory:");
  const { kv, take } = countingKv(memory);
  const { use, sums } = opened(kv);
  const runs = async () => (await sums("2026-01-01", TODAY)).agent.get("agent")?.runs ?? 0;
  await use("2026-01-05");
  await use(TODAY);
  assertEquals(await runs(), 2);
  take();
  assertEquals(await runs(), 2);
  assertEquals(take().list ?? 0, 0);
  for (const day of [TODAY, "2026-01-14", TODAY]) await use(day);
  assertEquals(await runs(), 5);
  // The long past is known; of the days that may change each is read once.
  assertEquals(take().list, 3);
});

Deno.test("UsageAggregator: totals are right when the cache is too small", async () => {
  using kv = await Deno.openKv(":memory:");
  const { use, sums } = opened(kv, { maxCached: 3 });
  for (const day of ["2026-01-01", "2026-01-02", "2026-01-03"]) await use(day);
  for (let n = 0; n < 2; n++) {
    assertEquals((await sums("2026-01-01", "2026-01-03")).agent.get("agent")?.runs, 3);
    assertEquals((await sums("2026-01-02", "2026-01-03")).agent.get("agent")?.runs, 2);
  }
});

Deno.test("UsageAggregator: a busy day long past is added up once, by whichever process reads it first", async () => {
  using memory = await Deno.openKv(":memory:");
  const { kv, take } = countingKv(memory);
  const first = opened(kv);
  for (let n = 0; n < 700; n++) await first.use("2026-01-05", { agentId: `agent ${n}` });
  for (let n = 0; n < 3; n++) await first.use("2026-01-07");
  const before = await first.sums("2025-02-01", "2026-01-10");
  assertEquals(before.agent.size, 701);
  const parts = await Array.fromAsync(memory.list({ prefix: ["usage_day_totals"] }));
  assertEquals(parts.map(({ key }) => key.slice(2)), [0, 1, 2, 3].map((n) => ["2026-01-05", n]));
  // Another process reads the totals, and the rows of the quiet days.
  for await (const { key } of memory.list({ prefix: ["usage_rows", "tenant", "2026-01-05"] })) {
    await memory.delete(key);
  }
  take();
  assertEquals(await opened(kv).sums("2025-02-01", "2026-01-10"), before);
  assertEquals(take().list, 3);
  // One whose totals are not whole is added up again.
  await memory.delete(parts[2]!.key);
  assertEquals((await opened(kv).sums("2026-01-05", "2026-01-05")).agent.size, 0);
});
