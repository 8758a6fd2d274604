import { UnreadableError } from "../unreadable.ts";
import type { Job, JobResult } from "../worker_job.ts";
import { doJob } from "./do_job.ts";

/** What may be parsed where everything else of the service runs: some 50 ms of work. */
const MOST_BYTES = 256 * 1024;

/**
 * Does one job without a process of its own, where the platform starts none. A small file can make a
 * PDF parser work without end, and nothing could stop it here, so no PDF is read at all; other
 * documents are, up to a size at which they cannot hold up the service.
 */
export async function doJobHere(job: Job): Promise<JobResult> {
  if (job.kind === "read" && job.type === "application/pdf") {
    throw new UnreadableError(
      "unsupported_type",
      "PDFs cannot be read on this server, because it cannot start a process for that; " +
        "send the document's text as HTML, Markdown or plain text",
    );
  }
  if (job.bytes.length > MOST_BYTES) {
    throw new UnreadableError(
      "too_complex",
      "documents of more than 256 KiB cannot be read on this server, because it cannot start a " +
        "process for that; split it up",
    );
  }
  return await doJob(job);
}
