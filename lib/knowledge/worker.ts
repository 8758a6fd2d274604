/** Runs in a thread of its own, where whatever a document does to it holds up nobody. */
import { parentPort } from "node:worker_threads";
import { openUpload } from "./open_upload.ts";
import { readDocument } from "./read_document.ts";
import { UnreadableError } from "./unreadable.ts";
import type { Job, JobResult } from "./worker_job.ts";

parentPort?.on("message", async (job: Job) => {
  const result = await work(job);
  parentPort?.postMessage(result, buffersOf(result));
});

async function work(job: Job): Promise<JobResult> {
  try {
    if (job.kind === "read") {
      return { kind: "read", document: await readDocument(job.bytes, job.type) };
    }
    const opened = await openUpload(job.bytes, job.contentType);
    if ("faults" in opened) return { kind: "faulty", faults: opened.faults };
    return { kind: "opened", upload: opened.upload };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}

/** Handed over, not copied: a copy of 20 MiB would hold up whoever receives it. */
function buffersOf(result: JobResult): ArrayBuffer[] {
  if (result.kind === "read") return result.document.parts.map(({ buffer }) => buffer);
  return result.kind === "opened" ? [result.upload.bytes.buffer] : [];
}
