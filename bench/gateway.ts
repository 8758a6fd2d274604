import { formatNumber, formatTable } from "./support/table.ts";
import { SERVICE_FORMATS, type ServiceFormat } from "./gateway/requests.ts";
import { type Load, measure, type Measured, measureIdle } from "./gateway/measure.ts";
import { comparePaces, FULL_PACES, QUICK_PACES } from "./gateway/paced.ts";
import {
  baseline,
  type Contender,
  direct,
  installSdk,
  PASSTHROUGH,
  SDK_SERVERS,
  type Server,
  SERVICE,
  startProvider,
} from "./gateway/servers.ts";
import type { Benchmark } from "./mod.ts";

const CLIENTS = [1, 10, 16, 50, 100];
/** As fast as the provider can, and at a realistic pace; there, the clients' requests are not in step. */
const PACES = [
  { model: "mock-64-0", pace: "no delay" },
  { model: "mock-64-10", pace: "10 ms apart", spreadMs: 640 },
];
const IDLE_MODEL = "mock-2-60000";
const IDLE_STREAMS = 1_000;

interface Extent {
  clients: readonly number[];
  ms: number;
  idleStreams: number;
}

const FULL: Extent = { clients: CLIENTS, ms: 2_000, idleStreams: IDLE_STREAMS };
const QUICK: Extent = { clients: [1, 100], ms: 1_000, idleStreams: 200 };

export const benchmark: Benchmark = {
  about: "a chat through this service, compared with a passthrough and an SDK's server",
  flags: ["--quick", "--formats", "--paced"],
  async run(flags) {
    const { deno, v8 } = Deno.version;
    console.log(`Deno ${deno}, V8 ${v8}, ${navigator.hardwareConcurrency} cores`);
    console.log(
      "clients, provider and server share them; first = the first text, not the first byte",
    );
    const extent = flags.includes("--quick") ? QUICK : FULL;
    if (flags.includes("--formats")) return await compareFormatsAlone(extent);
    if (flags.includes("--paced")) {
      const isQuick = flags.includes("--quick");
      const all = isQuick ? [PASSTHROUGH, SERVICE, ...baselines()] : await contenders();
      return await comparePaces(all, isQuick ? QUICK_PACES : FULL_PACES);
    }
    await compare(await contenders(), extent);
  },
};

async function compareFormatsAlone(extent: Extent): Promise<void> {
  await using provider = await startProvider();
  await compareFormats(provider.port, extent);
}

async function contenders(): Promise<Contender[]> {
  const own = [PASSTHROUGH, SERVICE, ...baselines()];
  if (await installSdk()) return [...own, ...SDK_SERVERS];
  console.log("without the SDK's servers: npm could not install their packages");
  return own;
}

function baselines(): Contender[] {
  const other = baseline();
  return other === undefined ? [] : [other];
}

async function compare(all: readonly Contender[], extent: Extent): Promise<void> {
  await using provider = await startProvider();
  await using stack = new AsyncDisposableStack();
  const servers = new Map<string, Server>([["direct", direct(provider)]]);
  for (const { name, start } of all) servers.set(name, stack.use(await start(provider.port)));
  for (const server of servers.values()) await warmUp(server);
  for (const pace of PACES) {
    for (const clients of extent.clients) {
      await compareLoad(servers, { ...pace, clients, ms: extent.ms });
    }
  }
  await compareFormats(provider.port, extent);
  await compareIdle(all, { providerPort: provider.port, streams: extent.idleStreams });
}

/** Servers take turns under each load, so that other work on the machine affects them all. */
async function compareLoad(
  servers: ReadonlyMap<string, Server>,
  load: Load & { pace: string },
): Promise<void> {
  const results = new Map<string, Measured>();
  for (const [name, server] of servers) results.set(name, await measure(server, load));
  console.log(`\n64 chunks ${load.pace}, ${load.clients} at a time`);
  console.log(formatTable(HEAD, [...results].map(([name, result]) => [name, ...cells(result)])));
  console.log(verdict(results));
}

/** This service compared with the others, in a sentence. */
function verdict(results: ReadonlyMap<string, Measured>): string {
  const own = results.get(SERVICE.name)!;
  const direct = results.get("direct")!;
  const rate = (name: string) => results.get(name)?.perSecond ?? 0;
  const sdk = Math.max(...SDK_SERVERS.map(({ name }) => rate(name)));
  const times = (other: number) => `${formatNumber(own.perSecond / other)} times the chats`;
  const behind = (at: "p50" | "p99") => formatNumber(own.first[at] - direct.first[at]);
  return [
    `${times(rate(PASSTHROUGH.name))} of the passthrough`,
    ...(sdk > 0 ? [`${times(sdk)} of the faster streamText`] : []),
    `first text ${behind("p50")} ms (p99 ${behind("p99")}) behind direct`,
  ].join(", ");
}

/** The service's own frames beside other formats, by turns in one process. */
async function compareFormats(providerPort: number, extent: Extent): Promise<void> {
  await using service = await SERVICE.start(providerPort);
  const turns = [...SERVICE_FORMATS, ...SERVICE_FORMATS.toReversed()];
  const as = (format: ServiceFormat) => ({ ...service, requestFor: service.requestIn(format) });
  for (const format of SERVICE_FORMATS) await warmUp(as(format));
  for (const pace of PACES) {
    const load = { ...pace, clients: extent.clients.at(-1)!, ms: extent.ms };
    const results = new Map<ServiceFormat, Measured[]>();
    for (const format of turns) {
      const result = await measure(as(format), load);
      results.set(format, [...results.get(format) ?? [], result]);
    }
    const cpu = (format: ServiceFormat) => mean(results.get(format)!.map(({ cpuMs }) => cpuMs));
    const rows = SERVICE_FORMATS.map((format) => [
      format,
      formatNumber(mean(results.get(format)!.map(({ perSecond }) => perSecond))),
      formatNumber(cpu(format)),
      formatNumber(cpu(format) / cpu("native")),
    ]);
    console.log(`\n64 chunks ${pace.pace}, ${load.clients} at a time, each format twice`);
    console.log(formatTable(["format", "chats/s", "CPU ms a chat", "to native"], rows));
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function compareIdle(
  all: readonly Contender[],
  { providerPort, streams }: { providerPort: number; streams: number },
): Promise<void> {
  const rows: string[][] = [];
  for (const { name, start } of all) {
    // A new process: spare memory from earlier load would hide what the streams take.
    await using server = await start(providerPort);
    await warmUp(server);
    const bytes = await measureIdle(server, { model: IDLE_MODEL, streams });
    rows.push([name, formatNumber(bytes / 1024)]);
  }
  console.log(`\n${streams} streams open and silent`);
  console.log(formatTable(["server", "KiB a stream"], rows));
}

async function warmUp(server: Server): Promise<void> {
  await measure(server, { model: "mock-64-0", clients: 8, ms: 1_500 });
}

const HEAD = [
  "server",
  "chats/s",
  "first p50 ms",
  "p99",
  "total p50 ms",
  "p99",
  "CPU ms a chat",
  "RSS MB",
  "frames/s",
];

function cells(measured: Measured): string[] {
  const { perSecond, first, total, cpuMs, rss, framesPerSecond } = measured;
  const all = [perSecond, first.p50, first.p99, total.p50, total.p99, cpuMs];
  return [...all, rss / 2 ** 20, framesPerSecond].map(formatNumber);
}
