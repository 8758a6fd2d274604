import { loadModule } from "../../../platform/load_module.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import type { Job, JobResult } from "./job_messages.ts";

/** Some 50 ms of parsing. */
const MAX_IN_PROCESS_KIB = 128;
export const MAX_IN_PROCESS_BYTES = MAX_IN_PROCESS_KIB * 1_024;

/**
 * Runs one job where no process can be started. A PDF of 6 KB can keep its parser busy for hours and
 * could not be stopped, and an archive of 20 KB has 20 MB of XML, so both are rejected. Other documents are parsed up to a small size, in linear
 * time. The parser is loaded with the first one, because worker processes usually do the work.
 */
export async function runJobInProcess(job: Job): Promise<JobResult> {
  if ("type" in job && job.type.startsWith("application/")) {
    throw new DocumentParseError(
      "unsupported_type",
      "PDFs, Office documents and books cannot be read on this server, because it cannot start a process for that; " +
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
  return await runJob(job, { extract: false });
}
