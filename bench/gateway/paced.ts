import { formatNumber, formatTable } from "../support/table.ts";
import { largestWithin } from "./largest_within.ts";
import { measure, type MeasuredPace, measurePace } from "./measure.ts";
import { type Contender, direct, type Server, startProvider } from "./servers.ts";

const CHUNKS = 64;
/** A stream is served well while a frame in a hundred is this late at most. */
const MAX_LATE_MS = 100;

/** What is measured. */
export interface PacedExtent {
  streams: readonly number[];
  /** Milliseconds between two chunks of the provider. */
  pausesMs: readonly number[];
  /** For how long chats are started; at least one and a half chats. */
  ms: number;
  /** The bounds of the search for the capacity. */
  capacity: { from: number; to: number };
}

/** A tenant may have 800 streams, and there are two. */
export const FULL_PACES: PacedExtent = {
  streams: [10, 50, 100, 200, 400],
  pausesMs: [10, 30, 100],
  ms: 3_000,
  capacity: { from: 100, to: 1_500 },
};
export const QUICK_PACES: PacedExtent = {
  streams: [20],
  pausesMs: [10],
  ms: 1_000,
  capacity: { from: 40, to: 80 },
};

type Servers = ReadonlyMap<string, Server>;

/** Compares servers under providers that pause between chunks, as real ones do. */
export async function comparePaces(
  contenders: readonly Contender[],
  { streams, pausesMs, ms, capacity }: PacedExtent,
): Promise<void> {
  await using provider = await startProvider();
  await using stack = new AsyncDisposableStack();
  const servers = new Map<string, Server>([["direct", direct(provider)]]);
  for (const { name, start } of contenders) {
    servers.set(name, stack.use(await start(provider.port)));
  }
  for (const server of servers.values()) {
    await measure(server, { model: "mock-64-0", clients: 8, ms: 1_500 });
  }
  for (const pauseMs of pausesMs) {
    for (const count of streams) await compareCell(servers, { streams: count, pauseMs, ms });
    await compareCapacity(servers, { pauseMs, ms, ...capacity });
  }
}

let cells = 0;

/** Servers take turns, in an order that reverses from cell to cell. */
async function compareCell(
  servers: Servers,
  load: { streams: number; pauseMs: number; ms: number },
): Promise<void> {
  const results = new Map<string, MeasuredPace>();
  const order = cells++ % 2 === 0 ? [...servers] : [...servers].reverse();
  for (const [name, server] of order) results.set(name, await measureLoad(server, load));
  const rows = [...servers.keys()].map((name) => {
    const { cpuMs, first, gap } = results.get(name)!;
    return [name, ...[cpuMs, first.p50, first.p99, gap.p50, gap.p99].map(formatNumber)];
  });
  console.log(`\n${load.streams} streams of ${CHUNKS} chunks, ${load.pauseMs} ms apart`);
  console.log(formatTable(HEAD, rows));
}

const HEAD = ["server", "CPU ms a chat", "first p50 ms", "p99", "gap p50 ms", "p99"];

async function compareCapacity(
  servers: Servers,
  { pauseMs, ms, from, to }: { pauseMs: number; ms: number; from: number; to: number },
): Promise<void> {
  const rows: string[][] = [];
  for (const [name, server] of servers) {
    const isOnTime = async (streams: number) => {
      const { gap } = await measureLoad(server, { streams, pauseMs, ms });
      return gap.p99 <= pauseMs + MAX_LATE_MS;
    };
    // Other work on the machine can delay one attempt.
    const isWithin = async (streams: number) => await isOnTime(streams) || await isOnTime(streams);
    const found = await largestWithin(isWithin, { from, to });
    rows.push([name, found === to ? `>= ${formatCount(to)}` : formatCount(found)]);
  }
  console.log(`\nmost streams, ${pauseMs} ms apart, whose gaps have a p99 of ${pauseMs} + 100 ms`);
  console.log(formatTable(["server", "streams"], rows));
}

function formatCount(n: number): string {
  return n.toLocaleString("en-US");
}

async function measureLoad(
  server: Server,
  { streams, pauseMs, ms }: { streams: number; pauseMs: number; ms: number },
): Promise<MeasuredPace> {
  const chatMs = CHUNKS * pauseMs;
  const load = { model: `mock-${CHUNKS}-${pauseMs}`, streams, chatMs };
  return await measurePace(server, { ...load, ms: Math.max(ms, 1.5 * chatMs) });
}
