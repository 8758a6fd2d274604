import { decodeText } from "../decode_text.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { parseDocument, toParsedDocument } from "../parse_document.ts";
import { parseMarkdownLines } from "../parse_text.ts";
import { parseUpload } from "../parse_upload.ts";
import type { Job, JobResult } from "./job_messages.ts";

/** Some 50 ms of parsing. */
const MAX_IN_PROCESS_KIB = 128;
export const MAX_IN_PROCESS_BYTES = MAX_IN_PROCESS_KIB * 1_024;

/** Runs one job. The document decides what it costs, so call it where time and memory are bounded. */
export async function runJob(job: Job): Promise<JobResult> {
  try {
    if (job.kind === "document") {
      return { kind: "document", ...await parseDocument(job.bytes, job.type) };
    }
    const parsed = await parseUpload(job.bytes, job);
    return "issues" in parsed ? { kind: "invalid", ...parsed } : { kind: "uploads", ...parsed };
  } catch (error) {
    if (!(error instanceof DocumentParseError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}

/**
 * Runs one job where no process can be started. A PDF of 6 KB can keep its parser busy for hours and
 * could not be stopped, so PDFs are rejected. Other documents are parsed up to a small size, in linear
 * time.
 */
export async function runJobInProcess(job: Job): Promise<JobResult> {
  if (job.kind === "document" && job.type === "application/pdf") {
    throw new DocumentParseError(
      "unsupported_type",
      "PDFs cannot be read on this server, because it cannot start a process for that; " +
        "send the document's text as HTML, Markdown or plain text",
    );
  }
  if (job.bytes.length > MAX_IN_PROCESS_BYTES) {
    throw new DocumentParseError(
      "too_complex",
      `documents of more than ${MAX_IN_PROCESS_KIB} KiB cannot be read on this server, because it ` +
        "cannot start a process for that; split it up",
    );
  }
  if (job.kind === "document" && job.type === "text/markdown") {
    const blocks = parseMarkdownLines(decodeText(job.bytes));
    return { kind: "document", ...toParsedDocument(blocks) };
  }
  return await runJob(job);
}
