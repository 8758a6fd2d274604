/** Runs in a thread of its own, where whatever a document does to it holds up nobody. */
import { parentPort } from "node:worker_threads";
import { type Opened, openUpload } from "./open_upload.ts";
import { type ReadDocument, readDocument } from "./read_document.ts";
import { UnreadableError } from "./unreadable.ts";
import type { Job, JobResult } from "./worker_job.ts";

parentPort?.on("message", (job: Job) => {
  // Running out of memory reaches whoever started the worker only from within a timer, before anything is
  // awaited; anywhere else the worker just falls silent (measured), and its time has to run out.
  setTimeout(() => begin(job), 0);
});

// Whoever started it waits for a word.
parentPort?.postMessage("ready");

function begin(job: Job): void {
  try {
    const result = work(job);
    if (result instanceof Promise) result.catch(refused).then(answer);
    else answer(result);
  } catch (error) {
    answer(refused(error));
  }
}

function work(job: Job): JobResult | Promise<JobResult> {
  const bytes = new Uint8Array(job.buffer);
  if (job.kind === "open") return openUpload(bytes, job).then(toOpened);
  const read = readDocument(bytes, job.type);
  return read instanceof Promise ? read.then(toRead) : toRead(read);
}

function answer(result: JobResult): void {
  parentPort?.postMessage(result, buffersOf(result));
}

function toRead({ parts, chunks }: ReadDocument): JobResult {
  return { kind: "read", parts: parts.map(bufferOf), chunks };
}

function toOpened(opened: Opened): JobResult {
  if ("faults" in opened) return { kind: "faulty", faults: opened.faults };
  const uploads = opened.uploads.map(({ bytes, ...upload }) => {
    return { ...upload, buffer: bufferOf(bytes) };
  });
  return { kind: "opened", uploads };
}

function refused(error: unknown): JobResult {
  if (!(error instanceof UnreadableError)) throw error;
  return { kind: "unreadable", code: error.code, message: error.message };
}

/** Handed over, not copied: a copy of 20 MiB would hold up whoever receives it. */
function buffersOf(result: JobResult): ArrayBuffer[] {
  if (result.kind === "read") return result.parts;
  return result.kind === "opened" ? result.uploads.map(({ buffer }) => buffer) : [];
}

function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  const whole = bytes.byteLength === bytes.buffer.byteLength;
  return whole ? bytes.buffer : bytes.slice().buffer;
}
