import { assertEquals } from "@std/assert";
import { admitted, endsOf, outcomes } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { CONTENDING_COST, FleetTenant, MESSAGE_COST } from "../fleet_tenant.ts";
import { expectSpent } from "./money.ts";

/** A plan's change of slots, while runs are live, applies to every next message at every process. */
export async function slotsChange(fleet: Fleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet, { streams: 10 });
  await tenant.contend();
  const gate = fleet.vendor.gate();
  const text = gate.message;
  const first = await tenant.sendAll(5, { text });
  assertEquals(outcomes(first), { "200": 5 });
  await tenant.setLimits({ streams: 3 });
  const none = await tenant.sendAll(2 * fleet.processes.length, { text });
  assertEquals(outcomes(none), { "429 tenant_streams": none.length });
  await tenant.setLimits({ streams: 7 });
  const two = await tenant.sendAll(6, { text });
  assertEquals(outcomes(two), { "200": 2, "429 tenant_streams": 4 });
  await tenant.setLimits({ streams: 8 });
  const one = await tenant.sendAll(4, { text, through: fleet.processes.slice(0, 1) });
  assertEquals(outcomes(one), { "200": 1, "429 tenant_streams": 3 });
  gate.open();
  assertEquals(await endsOf(admitted([...first, ...two, ...one])), { stop: 8 });
}

/** A plan's change of the day's money does too. */
export async function moneyChanges(fleet: Fleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet, { hardDailyCost: 100 * MESSAGE_COST });
  await tenant.contend();
  const spent = CONTENDING_COST;
  await tenant.setLimits({ hardDailyCost: spent });
  await expectSpent(fleet, { tenant, limit: spent });
  const raised = spent + 3 * MESSAGE_COST;
  await tenant.setLimits({ hardDailyCost: raised });
  const more = await tenant.sendAll(12);
  assertEquals(outcomes(more), { "200": 3, "429 tenant_daily_cost": 9 });
  assertEquals(await endsOf(admitted(more)), { stop: 3 });
  await expectSpent(fleet, { tenant, limit: raised });
}
