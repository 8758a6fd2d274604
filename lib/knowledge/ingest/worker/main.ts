/**
 * A worker process: it reads jobs from standard input, one after the other, and writes their results to
 * standard output. It runs without any permission, within limits of memory and CPU time that the
 * operating system enforces, because whatever a document manages to do, it does here.
 */
import { runJob } from "./run_job.ts";
import { encodeFrame, FrameReader } from "./frames.ts";
import { encodeResult, JOB_LIMITS, parseJob } from "./job_messages.ts";

if (import.meta.main) {
  // A damaged document can leave a promise behind that fails later: its job has had its answer.
  addEventListener("unhandledrejection", (event) => event.preventDefault());
  await processJobs();
  Deno.exit(0);
}

async function processJobs(): Promise<void> {
  const jobs = new FrameReader(Deno.stdin.readable);
  await write(encodeFrame({ kind: "ready" }));
  // The input ends when the service does, however it ends.
  for (let one = await jobs.read(JOB_LIMITS); one; one = await jobs.read(JOB_LIMITS)) {
    await write(encodeResult(await runJob(parseJob(one))));
  }
}

async function write(pieces: Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) at += await Deno.stdout.write(piece.subarray(at));
  }
}
