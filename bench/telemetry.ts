import type { Benchmark } from "./mod.ts";
import { measure, type Measured } from "./gateway/measure.ts";
import { type Contender, type Server, serviceWith, startProvider } from "./gateway/servers.ts";
import { median } from "./support/median.ts";
import { formatNumber, formatTable } from "./support/table.ts";

const ROUNDS = 16;
const LOADS = [
  { name: "64 chunks 10 ms apart, 50 at a time", model: "mock-64-10", clients: 50, spreadMs: 640 },
  { name: "64 chunks at once, 10 at a time", model: "mock-64-0", clients: 10 },
];
const MS = 1_500;
const TOKEN = "scrape-token-of-a-benchmark";

export const benchmark: Benchmark = {
  about: "a chat with metrics read every second and with traces, compared with neither; Linux only",
  flags: ["--quick"],
  async run(flags) {
    await using provider = await startProvider();
    await using collector = new Collector();
    const tracing = {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_DENO_CONSOLE: "ignore",
      OTEL_DENO_METRICS: "false",
    };
    const sampled = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio" };
    const contenders = [
      serviceWith("neither", {}),
      // The same again: what it differs by is the machine's noise.
      serviceWith("neither, again", {}),
      serviceWith("metrics", { METRICS_TOKEN: TOKEN }),
      serviceWith("traces of all", tracing),
      serviceWith("and Deno's metrics", { ...tracing, OTEL_DENO_METRICS: "true" }),
      serviceWith("traces of 1 in 20", {
        ...{ ...tracing, ...sampled, OTEL_TRACES_SAMPLER_ARG: "0.05" },
      }),
    ];
    await using stack = new AsyncDisposableStack();
    const servers = new Map<string, Server>();
    for (const { name, start } of contenders) {
      servers.set(name, stack.use(await start(provider.port)));
    }
    using _scraping = scrape(servers.get("metrics")!);
    for (const load of LOADS) {
      await compare(servers, { load, contenders, rounds: flags.includes("--quick") ? 2 : ROUNDS });
    }
  },
};

/** The servers take turns, forwards and backwards, so that other work on the machine affects all. */
async function compare(
  servers: ReadonlyMap<string, Server>,
  { load, contenders, rounds }: {
    load: typeof LOADS[number];
    contenders: readonly Contender[];
    rounds: number;
  },
): Promise<void> {
  const names = contenders.map(({ name }) => name);
  const results = new Map<string, Measured[]>(names.map((name) => [name, []]));
  for (const server of servers.values()) await measure(server, { ...load, ms: MS });
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results.get(name)!.push(await measure(servers.get(name)!, { ...load, ms: MS }));
    }
  }
  const plain = results.get("neither")!;
  const rows = names.map((name) => {
    const own = results.get(name)!;
    const ratios = own.map(({ cpuMs }, round) => cpuMs / plain[round]!.cpuMs);
    return [
      name,
      formatNumber(median(own.map(({ cpuMs }) => cpuMs))),
      `${Math.round(100 * (median(ratios) - 1))} %`,
      formatNumber(median(own.map(({ first }) => first.p50))),
      formatNumber(median(own.map(({ perSecond }) => perSecond))),
    ];
  });
  const head = ["", "CPU ms a chat", "more CPU", "first text, ms", "chats a second"];
  console.log(`\n${load.name}; ratios of pairs in the same round\n${formatTable(head, rows)}`);
}

/** Reads the metrics every second, as no Prometheus would need to. */
function scrape({ process }: Server): Disposable {
  const timer = setInterval(() => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    fetch(`http://127.0.0.1:${process.port}/metrics`, { headers })
      .then((response) => response.body?.cancel(), () => {});
  }, 1_000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Accepts and forgets what is exported. */
class Collector implements AsyncDisposable {
  readonly #server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      await request.bytes();
      return new Response(null, { status: 200 });
    },
  );

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
