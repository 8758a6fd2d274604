import type { Benchmark } from "./mod.ts";
import { type CallerKind, seedCallers } from "./scale/callers.ts";
import {
  type Fleet,
  HMAC_SECRET,
  MODEL,
  startDenokvFleet,
  startMemoryFleet,
  startProvider,
} from "./scale/fleets.ts";
import { judge, type Measured } from "./scale/goals.ts";
import { type LegResult, runLeg } from "./scale/leg.ts";
import { HEAD, row } from "./scale/report.ts";
import { untilQuiet } from "./scale/until_quiet.ts";
import { formatTable } from "./support/table.ts";
import { findDenokv } from "../tools/find_denokv.ts";

const CALLERS = 50;
const ROUND_TRIPS_MS = [0, 20, 90];
/** The maximum of a plan, and the default, which rejects most of 50 callers of one tenant. */
const STREAMS = { enough: 800, few: 10 };

const WARM_UP_ROUND_TRIPS = 20;

/** Before the first measured leg of a fleet. */
const WARM_UP_LEG_MS = 1_000;

interface Extent {
  rounds: number;
  warmUpMs: number;
  ms: number;
  sizes: readonly number[];
}

interface Load {
  kind: CallerKind;
  tenants: number;
  streams: number;
}

const FULL = { rounds: 4, warmUpMs: 1_000, ms: 2_000 };
const QUICK = { rounds: 1, warmUpMs: 1_000, ms: 1_500 };

const HOT: Load[] = (["visitors", "backend"] as const)
  .map((kind) => ({ kind, tenants: 1, streams: STREAMS.enough }));
const SPREAD: Load[] = HOT.map((load) => ({ ...load, tenants: 8 }));
const REJECTED: Load = { kind: "visitors", tenants: 1, streams: STREAMS.few };

export const benchmark: Benchmark = {
  about: "chats of one process and of several on one store",
  flags: ["--quick", "--three"],
  async run(flags) {
    const sizes = flags.includes("--three") ? [1, 2, 3] : [1, 2];
    const extent: Extent = { ...(flags.includes("--quick") ? QUICK : FULL), sizes };
    const cores = navigator.hardwareConcurrency;
    console.log(`Deno ${Deno.version.deno}, ${cores} cores, ${CALLERS} callers`);
    console.log("CPU: in memory including the clients, on denokv only the processes");
    const measured = await measureAll(extent);
    console.log(`\n${judge(measured, cores).join("\n")}`);
  },
};

async function measureAll(extent: Extent): Promise<Measured[]> {
  await using provider = await startProvider();
  const fleetOptions = { processes: Math.max(...extent.sizes), providerPort: provider.port };
  const measured: Measured[] = [];
  for (const roundTripMs of ROUND_TRIPS_MS) {
    await using fleet = await startMemoryFleet({ ...fleetOptions, roundTripMs });
    const loads = roundTripMs === 0 ? [...HOT, ...SPREAD, REJECTED] : HOT;
    measured.push(...await measureFleet(fleet, { loads, extent }));
  }
  const { DENOKV_BIN, PATH, HOME } = Deno.env.toObject();
  const bin = await findDenokv({ bin: DENOKV_BIN, path: PATH, home: HOME });
  if (bin === undefined) {
    console.log(
      "\nSKIPPED: denokv. DENOKV_BIN is not set, and PATH and ~/.cargo/bin have no such program",
    );
    return measured;
  }
  await using fleet = await startDenokvFleet({ ...fleetOptions, bin });
  const loads = [...HOT, ...SPREAD, REJECTED];
  measured.push(...await measureFleet(fleet, { loads, extent }));
  return measured;
}

async function measureFleet(
  fleet: Fleet,
  { loads, extent }: { loads: readonly Load[]; extent: Extent },
): Promise<Measured[]> {
  // Warm up: the first chats of a process are slow, because its code is compiled while they run.
  const size = Math.max(...extent.sizes);
  await measureLeg(fleet, { load: loads[0]!, extent: { ...extent, ms: WARM_UP_LEG_MS }, size });
  const measured: Measured[] = [];
  for (const load of loads) measured.push(await measureLoad(fleet, { load, extent }));
  const rows = measured.flatMap(({ name, rounds }) =>
    extent.sizes.map((size) => row(name, { rounds, size }))
  );
  console.log(`\n${formatTable(HEAD, rows)}`);
  return measured;
}

async function measureLoad(
  fleet: Fleet,
  { load, extent }: { load: Load; extent: Extent },
): Promise<Measured> {
  const rounds: Map<number, LegResult>[] = [];
  for (let n = 0; n < extent.rounds; n++) {
    // The order alternates, so that no size always comes first.
    const order = n % 2 === 0 ? extent.sizes : extent.sizes.toReversed();
    const round = new Map<number, LegResult>();
    for (const size of order) round.set(size, await measureLeg(fleet, { load, extent, size }));
    rounds.push(round);
  }
  const { kind, tenants, streams } = load;
  const scope = tenants === 1 ? "one tenant" : `${tenants} tenants`;
  const isOverLimit = streams === STREAMS.few;
  const name = `${fleet.name}: ${scope}, ${kind}${isOverLimit ? `, ${streams} streams` : ""}`;
  return { name, tenants, isOverLimit, rounds };
}

/** One leg with tenants of its own, so that data from another leg does not affect it. */
async function measureLeg(
  fleet: Fleet,
  { load, extent, size }: { load: Load; extent: Extent; size: number },
): Promise<LegResult> {
  const newCaller = await seedCallers(fleet.kv, {
    ...load,
    hmacSecret: HMAC_SECRET,
    model: MODEL,
  });
  await untilQuiet(fleet.usage);
  return await runLeg({
    newCaller,
    callers: CALLERS,
    urls: fleet.urls.slice(0, size),
    usage: fleet.usage,
    // Excludes dividing a tenant's ledger, which takes some round trips once a day.
    warmUpMs: extent.warmUpMs + WARM_UP_ROUND_TRIPS * fleet.roundTripMs,
    ms: extent.ms,
  });
}
