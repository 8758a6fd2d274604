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
  const bytes = new Uint8Array(job.buffer);
  try {
    if (job.kind === "read") {
      const { parts, chunks } = await readDocument(bytes, job.type);
      return { kind: "read", parts: parts.map(bufferOf), chunks };
    }
    const opened = await openUpload(bytes, job.contentType);
    if ("faults" in opened) return { kind: "faulty", faults: opened.faults };
    const { title, mediaType, bytes: content } = opened.upload;
    return { kind: "opened", title, mediaType, buffer: bufferOf(content) };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}

/** Handed over, not copied: a copy of 20 MiB would hold up whoever receives it. */
function buffersOf(result: JobResult): ArrayBuffer[] {
  if (result.kind === "read") return result.parts;
  return result.kind === "opened" ? [result.buffer] : [];
}

function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  const whole = bytes.byteLength === bytes.buffer.byteLength;
  return whole ? bytes.buffer : bytes.slice().buffer;
}
