/**
 * Documents made to hurt, given to the processes that parse them: each is answered, and none leaves a
 * process behind. `deno task bench hostile` does the same with 10,000 random ones.
 */
import { assert, assertEquals } from "@std/assert";
import { DocumentParseError } from "@/lib/knowledge/ingest/document_parse_error.ts";
import { runJobInProcess } from "@/lib/knowledge/ingest/worker/run_job.ts";
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

/** Does all jobs in one pool, and checks that nothing of them is left. */
async function doAll(jobs: Iterable<Job>): Promise<Set<string>> {
  const pool = new WorkerPool({ command: testWorker(), log: createLogger() });
  const ends = new Set<string>();
  const pids = new Set<number>();
  for (const job of jobs) {
    const result = await pool.run(job, { tenant: "t" }).catch((error) => {
      assert(error instanceof DocumentParseError, String(error));
      return { kind: error.code };
    });
    ends.add(result.kind);
    for (const pid of pool.pids) pids.add(pid);
  }
  await pool.close();
  assert(pids.size > 0);
  for (const pid of pids) assertEquals(await exists(pid), false);
  return ends;
}

Deno.test("each of 270 hostile documents is answered, and no process is left", async () => {
  assert(HOSTILE_PATTERNS.length + HOSTILE_OBJECTS.length >= 200);
  const patterns = HOSTILE_PATTERNS.map((pattern) => patternJob(pattern, 8 * KIB));
  const pdfs = HOSTILE_OBJECTS.map((bytes): Job => {
    return { kind: "document", type: "application/pdf", bytes };
  });
  const ends = await doAll([...patterns, ...pdfs]);
  assert(ends.isSupersetOf(new Set(["document", "unreadable"])), [...ends].join());
});

Deno.test("each of 600 random documents is answered, and no process is left", async () => {
  const ends = await doAll(randomJobs(17, 600));
  assert(
    ends.isSupersetOf(new Set(["document", "unreadable", "uploads", "invalid"])),
    [...ends].join(),
  );
});

Deno.test("where no process can be started, eight times the hostile text takes about as much longer", async () => {
  for (const pattern of HOSTILE_PATTERNS) {
    const fits = async () => {
      const small = await timeHere(patternJob(pattern, 8 * KIB));
      const large = await timeHere(patternJob(pattern, 64 * KIB));
      // The square of it would be 64 times; what takes little time says nothing.
      return large < Math.max(24 * small, 100);
    };
    // What else the machine does may have come between.
    assert(await fits() || await fits() || await fits(), JSON.stringify(pattern));
  }
});

/** How long a job takes in this process, milliseconds. */
async function timeHere(job: Job): Promise<number> {
  const start = performance.now();
  await runJobInProcess(job).catch((error) => assert(error instanceof DocumentParseError));
  return performance.now() - start;
}
