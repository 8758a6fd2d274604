import { type Opened, openUpload } from "../open_upload.ts";
import { readDocument } from "../read_document.ts";
import { UnreadableError } from "../unreadable.ts";
import type { Job, JobResult } from "../worker_job.ts";

/**
 * Does one job here and now. What it takes is up to whoever made the document, so call it only where
 * time and memory are bounded.
 */
export async function doJob(job: Job): Promise<JobResult> {
  try {
    if (job.kind === "open") return toResult(await openUpload(job.bytes, job));
    return { kind: "read", ...await readDocument(job.bytes, job.type) };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}

function toResult(opened: Opened): JobResult {
  if ("faults" in opened) return { kind: "faulty", faults: opened.faults };
  return { kind: "opened", uploads: opened.uploads };
}
