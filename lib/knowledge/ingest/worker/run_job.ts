import { type ParsedUpload, parseUpload } from "../parse_upload.ts";
import { encodePassages, parseDocument } from "../parse_document.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import type { Job, JobResult } from "./job_messages.ts";
import { decodeText } from "../decode_text.ts";
import { parseMarkdownLines } from "../parse_text.ts";

/**
 * Does one job here and now. What it takes is up to whoever made the document, so call it only where
 * time and memory are bounded.
 */
export async function runJob(job: Job): Promise<JobResult> {
  try {
    if (job.kind === "open") return toResult(await parseUpload(job.bytes, job));
    return { kind: "read", ...await parseDocument(job.bytes, job.type) };
  } catch (error) {
    if (!(error instanceof DocumentParseError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}

function toResult(opened: ParsedUpload): JobResult {
  if ("faults" in opened) return { kind: "faulty", faults: opened.faults };
  return { kind: "opened", uploads: opened.uploads };
}

/** What may be parsed where everything else of the service runs: some 50 ms of work. */
const MAX_IN_PROCESS_KIB = 128;
/** The same in bytes. */
export const MAX_IN_PROCESS_BYTES = MAX_IN_PROCESS_KIB * 1_024;

/**
 * Does one job without a process of its own, where the platform starts none. A PDF of 6 KB can make its
 * parser work for hours, and nothing could stop it here, so no PDF is read at all. Other documents are,
 * up to a small size, by parsers whose time grows with the size only.
 */
export async function runJobInProcess(job: Job): Promise<JobResult> {
  if (job.kind === "read" && job.type === "application/pdf") {
    throw new DocumentParseError(
      "unsupported_type",
      "PDFs cannot be read on this server, because it cannot start a process for that; " +
        "send the document's text as HTML, Markdown or plain text",
    );
  }
  if (job.bytes.length > MAX_IN_PROCESS_BYTES) {
    throw new DocumentParseError(
      "too_complex",
      `documents of more than ${MAX_IN_PROCESS_KIB} KiB cannot be read on this server, because it cannot ` +
        "start a process for that; split it up",
    );
  }
  if (job.kind === "read" && job.type === "text/markdown") {
    return { kind: "read", ...encodePassages(parseMarkdownLines(decodeText(job.bytes))) };
  }
  return await runJob(job);
}
