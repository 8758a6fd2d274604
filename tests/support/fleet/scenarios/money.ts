import { assert, assertEquals } from "@std/assert";
import { admitted, endsOf, outcomes } from "../answer.ts";
import { type Fleet, TOKEN_COST } from "../fleet.ts";
import { CONTENDING_COST, FleetTenant, MESSAGE_COST } from "../fleet_tenant.ts";

/** Not a multiple of one message's cost, so that the last message is cut to what is left. */
const REST = 7 * TOKEN_COST;

/** A day's limit is spent to its last token and not passed, with load on all processes at once. */
export async function moneySpread(fleet: Fleet): Promise<void> {
  const { tenant, limit } = await contended(fleet, 20 * MESSAGE_COST + REST);
  const answers = await tenant.sendAll(60);
  await expectLimit(answers, { tenant, limit });
  await expectSpent(fleet, { tenant, limit });
}

/** The same when load moves: first on all processes, then on one alone. */
export async function moneyMoves(fleet: Fleet): Promise<void> {
  const { tenant, limit } = await contended(fleet, 20 * MESSAGE_COST + REST);
  const one = fleet.processes.slice(-1);
  await expectLimit(await tenant.sendAll(30, { through: one }), { tenant, limit });
  await expectSpent(fleet, { tenant, limit });
}

/** Money held by live runs cannot be used by others; what they release can. */
export async function heldMoney(fleet: Fleet): Promise<void> {
  const { tenant, limit } = await contended(fleet, 8 * MESSAGE_COST);
  const gate = fleet.vendor.gate();
  const held = await tenant.sendAll(20, { text: gate.message });
  assertEquals(outcomes(held), { "200": 8, "429 tenant_daily_cost": 12 });
  const [cancelled, ...others] = admitted(held);
  await tenant.cancel(fleet.processes.at(-1)!, cancelled!.runId);
  assertEquals(await endsOf([cancelled!]), { cancelled: 1 });
  gate.open();
  assertEquals(await endsOf(others), { stop: 7 });
  const cost = await tenant.cost();
  assert(cost >= limit - MESSAGE_COST && cost <= limit, `${cost} of ${limit}`);
  await Promise.all((await tenant.sendAll(20)).map(({ ended }) => ended));
  await expectSpent(fleet, { tenant, limit });
}

/**
 * A tenant that all processes have conflicted over and that has so much left of its day, in micro-USD.
 * Its plan is the same from the beginning: a changed plan would void the division.
 */
export async function contended(
  fleet: Fleet,
  left: number,
): Promise<{ tenant: FleetTenant; limit: number }> {
  const limit = CONTENDING_COST + left;
  const tenant = await FleetTenant.create(fleet, { hardDailyCost: limit });
  await tenant.contend();
  return { tenant, limit };
}

/** Of messages that need more than is left, some are admitted, the others rejected for that reason only. */
async function expectLimit(
  answers: Awaited<ReturnType<FleetTenant["sendAll"]>>,
  { tenant, limit }: { tenant: FleetTenant; limit: number },
): Promise<void> {
  const all = outcomes(answers);
  assertEquals(Object.keys(all).sort(), ["200", "429 tenant_daily_cost"]);
  const ends = await endsOf(admitted(answers));
  assertEquals(ends, { stop: all["200"]! });
  const cost = await tenant.cost();
  assert(cost <= limit, `${cost} of ${limit}`);
}

/** The limit is reached to its last token, and every process knows. */
export async function expectSpent(
  fleet: Fleet,
  { tenant, limit }: { tenant: FleetTenant; limit: number },
): Promise<void> {
  const costs = await Promise.all(fleet.processes.map((process) => tenant.cost(process)));
  assertEquals(costs, costs.map(() => limit));
  const answers = await tenant.sendAll(fleet.processes.length);
  assertEquals(outcomes(answers), { "429 tenant_daily_cost": answers.length });
  const { cost } = await tenant.recorded(fleet.processes[0]!);
  assertEquals(cost, limit);
}
