import { readPage } from "../../crawl/pages/read_page.ts";
import { readSitemap } from "../../crawl/pages/read_sitemap.ts";
import { decodeText } from "../decode_text.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { parseDocument, type ParseOptions, toParsedDocument } from "../parse_document.ts";
import { parseMarkdownLines } from "../parse_text.ts";
import { parseUpload } from "../parse_upload.ts";
import { readText } from "../read_text.ts";
import type { Job, JobResult } from "./job_messages.ts";

/**
 * Runs one job. The document decides what it costs, so call it where time and memory are bounded. Without
 * `extract`, pages of websites are read whole, in linear time.
 */
export async function runJob(
  job: Job,
  { extract = true, ...options }: ParseOptions & { extract?: boolean } = {},
): Promise<JobResult> {
  try {
    if (job.kind === "page") return { kind: "page", ...readPage(job.bytes, { ...job, extract }) };
    if (job.kind === "sitemap") return { kind: "sitemap", ...readSitemap(job.bytes) };
    if (job.kind === "document") {
      return { kind: "document", ...await parseDocument(job.bytes, job.type, options) };
    }
    if (job.kind === "text") return { kind: "text", ...await readText(job.bytes, job) };
    const parsed = await parseUpload(job.bytes, job);
    return "issues" in parsed ? { kind: "invalid", ...parsed } : { kind: "uploads", ...parsed };
  } catch (error) {
    if (!(error instanceof DocumentParseError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}

/** Parses Markdown by its lines, in linear time. Where time is not bounded, use this. */
export function runMarkdownJob(bytes: Uint8Array): JobResult {
  return { kind: "document", ...toParsedDocument(parseMarkdownLines(decodeText(bytes))) };
}
