import { freePort } from "@/tests/support/free_port.ts";
import { type ColdStart, measureColdStart } from "./gateway/cold_start.ts";
import type { ProcessOptions } from "./gateway/process.ts";
import { chatRequests, type RequestFactory } from "./gateway/requests.ts";
import { prepareService, ROOT, startProvider } from "./gateway/servers.ts";
import { median } from "./support/median.ts";
import { formatNumber, formatTable } from "./support/table.ts";
import type { Benchmark } from "./mod.ts";

const MODEL = "mock-64-0";
const ROUNDS = 15;
const QUICK_ROUNDS = 3;

/** A program to start, with the requests it understands. */
interface Starter extends AsyncDisposable {
  name: string;
  command: ProcessOptions;
  port: number;
  requestFor: RequestFactory;
}

export const benchmark: Benchmark = {
  about: "from the start of the process to its first answer, beside a bare server",
  flags: ["--quick"],
  async run(flags) {
    await using provider = await startProvider();
    await using stack = new AsyncDisposableStack();
    const baseline = Deno.env.get("GATEWAY_BENCH_BASELINE");
    const starters = [bareServer(), stack.use(await service("this service", ROOT, provider.port))];
    if (baseline !== undefined) {
      starters.push(stack.use(await service("baseline", baseline, provider.port)));
    }
    await compare(starters, flags.includes("--quick") ? QUICK_ROUNDS : ROUNDS);
  },
};

function bareServer(): Starter {
  const port = freePort();
  const file = `${ROOT}/bench/support/bare_server.ts`;
  return {
    name: "a bare server",
    command: { command: Deno.execPath(), args: ["run", "-A", "--no-config", file, String(port)] },
    port,
    requestFor: chatRequests({ model: MODEL, path: "/v1/chat/stream" }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function service(name: string, root: string, providerPort: number): Promise<Starter> {
  const port = freePort();
  const { command, callers, dataDir } = await prepareService(root, providerPort, { port });
  return {
    name,
    command,
    port,
    requestFor: chatRequests({ model: MODEL, callers }),
    [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }),
  };
}

/** All programs start in each round, in an order that reverses from round to round. */
async function compare(starters: readonly Starter[], rounds: number): Promise<void> {
  const results = new Map(starters.map((starter) => [starter, [] as ColdStart[]]));
  // The first start compiles, and fills the caches of the runtime and the system.
  for (const starter of starters) await start(starter, 0);
  for (let round = 1; round <= rounds; round++) {
    for (const starter of round % 2 === 0 ? starters : starters.toReversed()) {
      results.get(starter)!.push(await start(starter, round));
    }
  }
  const rows = [...results].map(([{ name }, starts]) => {
    const middle = (of: keyof ColdStart) => median(starts.map((one) => one[of]));
    const least = Math.min(...starts.map(({ firstMs }) => firstMs));
    const figures = [middle("firstMs"), least, middle("cpuMs"), middle("rss") / 2 ** 20];
    return [name, ...figures.map(formatNumber)];
  });
  console.log(`medians of ${rounds} starts each, with warm caches`);
  console.log(formatTable(["", "first text ms", "least", "CPU ms", "RSS at idle MB"], rows));
}

function start({ command, port, requestFor }: Starter, round: number): Promise<ColdStart> {
  return measureColdStart(command, { port, request: requestFor(round) });
}
