import { assertEquals } from "@std/assert";
import { nextAddress, outcomes } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { FleetTenant } from "../fleet_tenant.ts";

/** As the specification has them, in any 60 seconds. */
const KEY_REQUESTS = 60;
const ADDRESS_REQUESTS = 100;
const ADDRESS_MESSAGES = 20;

type Processes = Fleet["processes"];

/** One window under test: `take` sends requests concurrently and returns how many were admitted. */
interface Window {
  limit: number;
  scope: string;
  take(requests: number, through: Processes): Promise<Record<string, number>>;
}

/**
 * The windows of an API key and of an address are exact in any 60 seconds. Half of each is taken through
 * all processes, the other half 20 seconds later through one while the others are idle; after 61 seconds
 * the first half is free again, and no more.
 */
export async function windows(fleet: Fleet): Promise<void> {
  const all = await openWindows(fleet);
  const takeAll = (share: (limit: number) => number, through = fleet.processes) =>
    Promise.all(all.map(({ take, limit }) => take(share(limit), through)));
  const half = await takeAll((limit) => limit / 2);
  assertEquals(half, all.map(({ limit }) => ({ "200": limit / 2 })));
  await fleet.pass(20_000);
  const rest = await takeAll((limit) => limit, fleet.processes.slice(-1));
  assertEquals(rest, all.map(onlyHalf));
  await fleet.pass(41_000);
  const again = await takeAll((limit) => limit);
  assertEquals(again, all.map(onlyHalf));
}

function onlyHalf({ limit, scope }: Window): Record<string, number> {
  return { "200": limit / 2, [`429 ${scope}`]: limit / 2 };
}

async function openWindows(fleet: Fleet): Promise<Window[]> {
  const [byKey, byAddress, byMessages] = [
    await FleetTenant.create(fleet, { keyRequests: undefined }),
    await FleetTenant.create(fleet),
    await FleetTenant.create(fleet, { ipMessages: undefined }),
  ];
  const [reader, writer] = [nextAddress(), nextAddress()];
  const readBy = (tenant: FleetTenant, address?: string): Window["take"] => async (n, through) => {
    const all = Array.from({ length: n }, async (_, n) => ({
      outcome: await tenant.read(through[n % through.length]!, address),
    }));
    return outcomes(await Promise.all(all));
  };
  const send: Window["take"] = async (n, through) => {
    const answers = await byMessages.sendAll(n, { address: writer, through });
    await Promise.all(answers.map(({ ended }) => ended));
    return outcomes(answers);
  };
  return [
    { limit: KEY_REQUESTS, scope: "key", take: readBy(byKey) },
    { limit: ADDRESS_REQUESTS, scope: "ip", take: readBy(byAddress, reader) },
    { limit: ADDRESS_MESSAGES, scope: "ip_chat", take: send },
  ];
}
