import { assert, assertEquals } from "@std/assert";
import { admitted, endsOf, outcomes } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { FleetTenant } from "../fleet_tenant.ts";

/** Of 200 messages that one session sends at once, exactly its 50 are answered. */
export async function sessionCap(fleet: Fleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet);
  const session = await tenant.mint(fleet.processes[0]!);
  const answers = await tenant.sendAll(200, { session });
  assertEquals(outcomes(answers), { "200": 50, "429 session_messages": 150 });
  assertEquals(await endsOf(admitted(answers)), { stop: 50 });
}

/**
 * A tenant's 10 slots are all reached and never passed: through any one process while the others, which
 * have served the tenant before, are idle, and through all at once.
 */
export async function slots(fleet: Fleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet, { streams: undefined });
  await tenant.contend();
  for (const process of fleet.processes) await fillSlots(fleet, { tenant, through: [process] });
  await fillSlots(fleet, { tenant, through: fleet.processes });
  // What was free is free again.
  await fillSlots(fleet, { tenant, through: fleet.processes });
}

async function fillSlots(
  fleet: Fleet,
  { tenant, through }: { tenant: FleetTenant; through: Fleet["processes"] },
): Promise<void> {
  const gate = fleet.vendor.gate();
  const answers = await tenant.sendAll(30, { text: gate.message, through });
  assertEquals(outcomes(answers), { "200": 10, "429 tenant_streams": 20 });
  assert((await tenant.activeStreams()).every((active) => active === 10));
  const oneMore = await tenant.sendAll(fleet.processes.length);
  assertEquals(outcomes(oneMore), { "429 tenant_streams": oneMore.length });
  gate.open();
  assertEquals(await endsOf(admitted(answers)), { stop: 10 });
}
