import { decodeText } from "../decode_text.ts";
import { parseMarkdownLines } from "../parse_markdown_lines.ts";
import { toPassages } from "../read_document.ts";
import { UnreadableError } from "../unreadable.ts";
import type { Job, JobResult } from "../worker_job.ts";
import { doJob } from "./do_job.ts";

/** What may be parsed where everything else of the service runs: some 50 ms of work. */
const MOST_KIB = 128;
/** The same in bytes. */
export const MAX_BYTES_HERE = MOST_KIB * 1_024;

/**
 * Does one job without a process of its own, where the platform starts none. A PDF of 6 KB can make its
 * parser work for hours, and nothing could stop it here, so no PDF is read at all. Other documents are,
 * up to a small size, by parsers whose time grows with the size only.
 */
export async function doJobHere(job: Job): Promise<JobResult> {
  if (job.kind === "read" && job.type === "application/pdf") {
    throw new UnreadableError(
      "unsupported_type",
      "PDFs cannot be read on this server, because it cannot start a process for that; " +
        "send the document's text as HTML, Markdown or plain text",
    );
  }
  if (job.bytes.length > MAX_BYTES_HERE) {
    throw new UnreadableError(
      "too_complex",
      `documents of more than ${MOST_KIB} KiB cannot be read on this server, because it cannot ` +
        "start a process for that; split it up",
    );
  }
  if (job.kind === "read" && job.type === "text/markdown") {
    return { kind: "read", ...toPassages(parseMarkdownLines(decodeText(job.bytes))) };
  }
  return await doJob(job);
}
