/**
 * Hostile documents in the processes that parse them: each gets a result, and none leaves a process
 * behind. `deno task bench hostile` does the same with 10,000 random documents.
 */
import { assert, assertEquals } from "@std/assert";
import { DocumentParseError } from "@/lib/knowledge/ingest/document_parse_error.ts";
import { runJobInProcess } from "@/lib/knowledge/ingest/worker/run_job_in_process.ts";
import { WorkerPool } from "@/lib/knowledge/ingest/worker/worker_pool.ts";
import type { Job } from "@/lib/knowledge/ingest/worker/job_messages.ts";
import { createLogger } from "@/lib/platform/log.ts";
import { HOSTILE_OBJECTS, HOSTILE_PATTERNS, spread } from "./support/hostile_patterns.ts";
import { randomJobs } from "./support/random_documents.ts";
import { exists, testWorker } from "./support/worker.ts";

const KIB = 1_024;
const encoder = new TextEncoder();
const patternJob = (pattern: typeof HOSTILE_PATTERNS[number], size: number): Job => {
  return { kind: "document", type: pattern.type, bytes: encoder.encode(spread(pattern, size)) };
};

/** Runs all jobs in one pool, checks that no process is left, and returns the kinds of result. */
async function runAll(jobs: Iterable<Job>): Promise<Set<string>> {
  const pool = new WorkerPool({ command: testWorker(), log: createLogger() });
  const kinds = new Set<string>();
  const pids = new Set<number>();
  for (const job of jobs) {
    const result = await pool.run(job, { tenant: "t" }).catch((error) => {
      assert(error instanceof DocumentParseError, String(error));
      return { kind: error.code };
    });
    kinds.add(result.kind);
    for (const pid of pool.pids) pids.add(pid);
  }
  await pool.close();
  assert(pids.size > 0);
  for (const pid of pids) assertEquals(await exists(pid), false);
  return kinds;
}

Deno.test("each of 270 hostile documents gets a result, and no process is left", async () => {
  assert(HOSTILE_PATTERNS.length + HOSTILE_OBJECTS.length >= 200);
  const patterns = HOSTILE_PATTERNS.map((pattern) => patternJob(pattern, 8 * KIB));
  const pdfs = HOSTILE_OBJECTS.map((bytes): Job => {
    return { kind: "document", type: "application/pdf", bytes };
  });
  const kinds = await runAll([...patterns, ...pdfs]);
  assert(kinds.isSupersetOf(new Set(["document", "unreadable"])), [...kinds].join());
});

Deno.test("each of 600 random documents gets a result, and no process is left", async () => {
  const kinds = await runAll(randomJobs(17, 600));
  assert(
    kinds.isSupersetOf(new Set(["document", "unreadable", "uploads", "invalid"])),
    [...kinds].join(),
  );
});

Deno.test("if no process can be started, parsing time grows about linearly with hostile text", async () => {
  for (const pattern of HOSTILE_PATTERNS) {
    const isLinear = async () => {
      const small = await timeInProcess(patternJob(pattern, 8 * KIB));
      const large = await timeInProcess(patternJob(pattern, 64 * KIB));
      // Quadratic growth would be 64 times. Very short times are too noisy to compare.
      return large < Math.max(24 * small, 100);
    };
    // Other load on the machine may disturb a measurement, so try three times.
    assert(await isLinear() || await isLinear() || await isLinear(), JSON.stringify(pattern));
  }
});

/** How long a job takes in this process, in milliseconds. */
async function timeInProcess(job: Job): Promise<number> {
  const start = performance.now();
  await runJobInProcess(job).catch((error) => assert(error instanceof DocumentParseError));
  return performance.now() - start;
}
