import { assert, assertEquals } from "@std/assert";
import { admitted, type Answer, endsOf, outcomes } from "../answer.ts";
import type { Fleet, FleetProcess } from "../fleet.ts";
import { CONTENDING_COST, FleetTenant, MESSAGE_COST } from "../fleet_tenant.ts";
import { contended, expectSpent } from "./money.ts";

/** A dead process's slots are free again within this many milliseconds, if another process runs. */
const BACK_MS = 30_000;
/** Runs on the process that dies. */
const LOST = 4;

/**
 * `kill -9` of a process that holds runs of one tenant, has served another, and is at work for a third:
 * no limit is passed meanwhile, within 30 seconds the slots of all are whole, and what may have been
 * spent is spent.
 */
export async function killed(fleet: Fleet): Promise<void> {
  const victim = fleet.processes.at(-1)!;
  const holder = await holding(fleet, victim);
  const idle = await served(fleet);
  const busy = await atWork(fleet);
  await fleet.kill(victim);
  if (fleet.processes.length === 0) await fleet.start();
  const deadline = fleet.now() + BACK_MS;
  await holder.expectNothingOver();
  await fleet.within(deadline - fleet.now(), () => holder.isBack());
  await fleet.within(deadline - fleet.now(), () => idle.isBack());
  await fleet.within(deadline - fleet.now(), () => busy.isBack());
  await fleet.pass(Math.max(0, deadline - fleet.now()));
  await holder.expectWhole();
  await idle.expectWhole();
  await busy.expectWhole();
}

/** A tenant with runs on the process that dies, and on another. */
async function holding(fleet: Fleet, victim: FleetProcess) {
  const limit = 50 * MESSAGE_COST;
  const tenant = await FleetTenant.create(fleet, { streams: undefined, hardDailyCost: limit });
  await tenant.contend();
  const gate = fleet.vendor.gate();
  const text = gate.message;
  const others = fleet.processes.filter((one) => one !== victim).slice(0, 1);
  const lost = await tenant.sendAll(LOST, { text, through: [victim] });
  const kept = others.length === 0 ? [] : await tenant.sendAll(2, { text, through: others });
  assertEquals(outcomes([...lost, ...kept]), { "200": LOST + kept.length });
  const living: Answer[] = [...kept];
  return {
    /** The slots of dead runs stay taken until the runs are known to be dead. */
    async expectNothingOver() {
      const more = await tenant.sendAll(20, { text });
      living.push(...admitted(more));
      assert(
        living.length + LOST <= 10,
        `${living.length} runs next to ${LOST} of killed processes`,
      );
    },
    async isBack() {
      return (await tenant.activeStreams()).every((active) => active === living.length);
    },
    async expectWhole() {
      assertEquals(await endsOf(lost), { cut: LOST });
      assertEquals(await tenant.cost(), CONTENDING_COST + LOST * MESSAGE_COST);
      const more = admitted(await tenant.sendAll(20, { text }));
      assertEquals(living.length + more.length, 10);
      living.push(...more);
      gate.open();
      assertEquals(await endsOf(living), { stop: 10 });
      await tenant.spendAll();
      await expectSpent(fleet, { tenant, limit });
    },
  };
}

/** A tenant that every process has served and none serves now. */
async function served(fleet: Fleet) {
  const limit = 50 * MESSAGE_COST;
  const tenant = await FleetTenant.create(fleet, { streams: undefined, hardDailyCost: limit });
  await tenant.contend();
  const gate = fleet.vendor.gate();
  const runs: Answer[] = [];
  return {
    /** Whether the remaining processes can use all its slots. */
    async isBack() {
      const more = await tenant.sendAll(10 - runs.length, { text: gate.message });
      runs.push(...admitted(more));
      return runs.length === 10;
    },
    /** So can all its money. */
    async expectWhole() {
      assert((await tenant.activeStreams()).every((active) => active === 10));
      gate.open();
      assertEquals(await endsOf(runs), { stop: 10 });
      await tenant.spendAll();
      await expectSpent(fleet, { tenant, limit });
    },
  };
}

/** A tenant whose messages are in progress at every process. */
async function atWork(fleet: Fleet) {
  const { tenant, limit } = await contended(fleet, 40 * MESSAGE_COST);
  const { processes } = fleet;
  const sent = Array.from({ length: 60 }, (_, n) => tenant.send(processes[n % processes.length]!));
  // Messages at the killed process fail, unless they were answered before.
  const ended = Promise.allSettled(sent.map(async (answer) => await (await answer).ended));
  await Promise.any(sent);
  return {
    async isBack() {
      await ended;
      return (await tenant.activeStreams()).every((active) => active === 0);
    },
    async expectWhole() {
      assert(await tenant.cost() <= limit);
      await tenant.spendAll();
      await expectSpent(fleet, { tenant, limit });
    },
  };
}
