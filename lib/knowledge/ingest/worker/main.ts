/**
 * A worker process: reads jobs from standard input, one at a time, and writes their results to standard
 * output. It has no permission, and the operating system limits its memory and CPU time, so that a
 * hostile document can harm nothing else.
 */
import { encodeFrame, FrameReader } from "./frames.ts";
import { encodeResult, JOB_LIMITS, parseJob } from "./job_messages.ts";
import { runJob } from "./run_job.ts";

if (import.meta.main) {
  // A parser may leave a promise behind that rejects after the result was sent.
  addEventListener("unhandledrejection", (event) => event.preventDefault());
  await processJobs();
  Deno.exit(0);
}

/** Returns when the service closes the input or ends. */
async function processJobs(): Promise<void> {
  const jobs = new FrameReader(Deno.stdin.readable);
  await write(encodeFrame({ kind: "ready" }));
  for (let job = await jobs.read(JOB_LIMITS); job; job = await jobs.read(JOB_LIMITS)) {
    await write(encodeResult(await runJob(parseJob(job))));
  }
}

async function write(parts: Uint8Array[]): Promise<void> {
  for (const part of parts) {
    for (let at = 0; at < part.length;) at += await Deno.stdout.write(part.subarray(at));
  }
}
