/** Parses 10,000 random hostile documents, and reports their results, times and leftover processes. */
import { WorkerPool } from "../lib/knowledge/ingest/worker/worker_pool.ts";
import { createLogger } from "../lib/platform/log.ts";
import { randomJobs } from "../tests/support/random_documents.ts";
import { exists, testWorker } from "../tests/support/worker.ts";
import type { Benchmark } from "./mod.ts";

const COUNT = 10_000;
const MIB = 1_048_576;

export const benchmark: Benchmark = {
  about: `${COUNT.toLocaleString("en")} random hostile documents in the parser's processes`,
  run,
};

async function run(): Promise<void> {
  const pool = new WorkerPool({ command: testWorker(), log: createLogger() });
  const results = new Map<string, number>();
  const pids = new Set<number>();
  const times: number[] = [];
  let stall = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    stall = Math.max(stall, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  const before = Deno.memoryUsage().rss;
  for (const job of randomJobs(Date.now() & 0xffff, COUNT)) {
    const start = performance.now();
    const result = await pool.run(job, { tenant: "t" }).then(
      (parsed) => parsed.kind === "unreadable" ? parsed.code : parsed.kind,
      (error: { code?: string }) => `ended: ${error.code}`,
    );
    times.push(performance.now() - start);
    results.set(result, (results.get(result) ?? 0) + 1);
    for (const pid of pool.pids) pids.add(pid);
  }
  await pool.close();
  clearInterval(timer);
  times.sort((a, b) => a - b);
  const left = (await Promise.all([...pids].map(exists))).filter(Boolean).length;
  console.log(Object.fromEntries(results));
  console.log({
    processes: pids.size,
    left,
    medianMs: round(times[COUNT / 2]),
    p99Ms: round(times[COUNT * 0.99]),
    longestMs: round(times.at(-1)),
    longestStallMs: round(stall),
    grownMiB: round((Deno.memoryUsage().rss - before) / MIB),
  });
}

function round(value = 0): number {
  return Math.round(value * 100) / 100;
}
