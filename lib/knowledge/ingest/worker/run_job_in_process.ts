import { loadModule } from "../../../platform/load_module.ts";
import type { DocumentType } from "../../../schemas/media_types.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import type { ArchiveLimits } from "../office/open_archive.ts";
import type { Job, JobResult } from "./job_messages.ts";

/** Some 50 ms of parsing. */
const MAX_IN_PROCESS_KIB = 128;
export const MAX_IN_PROCESS_BYTES = MAX_IN_PROCESS_KIB * 1_024;

/** What is read of an archive: some 30 pages of text, in about 0.1 s. */
const SMALL_ARCHIVE: ArchiveLimits = {
  entries: 500,
  entryBytes: 1_024 * 1_024,
  totalBytes: 1_024 * 1_024,
  reads: 20,
};
/** Their parsers take time in proportion to what is unpacked. */
const ARCHIVES_IN_PROCESS: ReadonlySet<string> = new Set<DocumentType>([
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.oasis.opendocument.text",
]);

/**
 * Runs one job where no process can be started. A PDF of 6 KB can keep its parser busy for hours and
 * could not be stopped, and a cell of a spreadsheet can repeat a text of any length, so both are rejected.
 * Other documents are parsed up to a small size, in linear time. The parser is loaded with the first one,
 * because worker processes usually do the work.
 */
export async function runJobInProcess(job: Job): Promise<JobResult> {
  if ("type" in job && job.type.startsWith("application/") && !isReadableArchive(job)) {
    throw new DocumentParseError(
      "unsupported_type",
      "PDFs, spreadsheets, presentations and books cannot be read on this server, because it cannot start a process for that; " +
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
  const { runJob, runMarkdownJob } = await loadModule(
    "the document parser",
    () => import("./run_job.ts"),
  );
  if (job.kind === "document" && job.type === "text/markdown") return runMarkdownJob(job.bytes);
  return await runJob(job, { extract: false, archiveLimits: SMALL_ARCHIVE });
}

function isReadableArchive(job: Job & { type: string }): boolean {
  return job.kind === "document" && ARCHIVES_IN_PROCESS.has(job.type);
}
