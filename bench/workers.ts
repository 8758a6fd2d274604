import type { Benchmark } from "./mod.ts";
import { startProvider } from "./scale/fleets.ts";
import { runLeg } from "./scale/leg.ts";
import { formatNumber, formatTable } from "./support/table.ts";
import { measureStoreCalls } from "./workers/store_calls.ts";
import { startWorkerService, type WorkerUsage } from "./workers/worker_service.ts";

const CALLERS = 50;
const ROUNDS = 3;
const LEG = { warmUpMs: 2_000, ms: 6_000 };
/** One piece of text at once, and 400 pieces 2 ms apart. */
const MODELS = ["mock-1-0", "mock-400-2"];

export const benchmark: Benchmark = {
  about: "calls of a store over a socket, and chats of one and of several WORKERS; Linux only",
  flags: ["--four"],
  async run(flags) {
    const calls = await measureStoreCalls();
    const rows = calls.map(({ name, own, shared }) => [
      name,
      formatNumber(own),
      formatNumber(shared),
    ]);
    console.log(formatTable(["call, median µs", "own process", "over the socket"], rows));
    const workers = flags.includes("--four") ? [1, 2, 4] : [1, 2];
    await using provider = await startProvider();
    for (const model of MODELS) {
      const rows: string[][] = [];
      for (let round = 0; round < ROUNDS; round++) {
        for (const count of workers) {
          rows.push(await measureChats({ workers: count, model, providerPort: provider.port }));
        }
      }
      rows.sort(([a], [b]) => Number(a) - Number(b));
      const head = ["workers", "chats a second", "p50 ms", "p99 ms", "CPU ms", "supervisor"];
      console.log(`\n${model}, ${CALLERS} callers\n${formatTable(head, rows)}`);
    }
  },
};

async function measureChats(
  options: { workers: number; model: string; providerPort: number },
): Promise<string[]> {
  await using service = await startWorkerService(options);
  const seen: WorkerUsage[] = [];
  const usage = async () => {
    const used = await service.usage();
    seen.push(used);
    return { cpuMs: used.total };
  };
  const { newCaller, url } = service;
  const leg = await runLeg({ ...LEG, newCaller, callers: CALLERS, urls: [url], usage });
  const [from, to] = seen;
  const share = (to!.supervisor - from!.supervisor) / (to!.total - from!.total);
  const { perSecond, p50, p99, cpuMsAChat } = leg;
  const numbers = [perSecond, p50, p99, cpuMsAChat].map(formatNumber);
  return [String(options.workers), ...numbers, `${Math.round(100 * share)} %`];
}
