import { assertEquals } from "@std/assert";
import { admitted, endsOf, outcomes } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { MESSAGE_COST } from "../fleet_tenant.ts";
import { contended } from "./money.ts";

/** Half a minute before the day ends, where the scenario begins. */
export const BEFORE_MIDNIGHT = Date.UTC(2026, 0, 15, 23, 59, 30);
const DAYS = "?from=2026-01-15&to=2026-01-16";

/**
 * A day's limit is whole again at midnight at every process, less what a run holds that goes on; what
 * such a run costs is charged once.
 */
export async function midnight(fleet: Fleet): Promise<void> {
  const { tenant, limit } = await contended(fleet, 6 * MESSAGE_COST);
  const gate = fleet.vendor.gate();
  const over = await tenant.sendAll(2, { text: gate.message });
  const before = await tenant.sendAll(10);
  assertEquals(outcomes([...over, ...before]), { "200": 6, "429 tenant_daily_cost": 6 });
  assertEquals(await endsOf(admitted(before)), { stop: 4 });
  await fleet.pass(31_000);
  const left = limit / MESSAGE_COST - over.length;
  const after = await tenant.sendAll(left + 8);
  assertEquals(outcomes(after), { "200": left, "429 tenant_daily_cost": 8 });
  assertEquals(await endsOf(admitted(after)), { stop: left });
  gate.open();
  assertEquals(await endsOf(over), { stop: 2 });
  const { days } = await tenant.usage(fleet.processes[0]!, DAYS);
  const costs = days.map(({ costUsd }) => Math.round(costUsd * 1e6));
  const both = 2 * limit - over.length * MESSAGE_COST;
  assertEquals(costs.reduce((sum, cost) => sum + cost, 0), both);
  const answers = await tenant.sendAll(fleet.processes.length);
  assertEquals(outcomes(answers), { "429 tenant_daily_cost": answers.length });
}
