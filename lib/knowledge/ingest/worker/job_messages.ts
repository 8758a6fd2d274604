import { z } from "zod";
import { FILE_TYPES } from "../../../schemas/attachment.ts";
import type { ValidationIssue } from "../../../schemas/error_codes.ts";
import { KNOWLEDGE_BOUNDS } from "../../../schemas/limits.ts";
import { DOCUMENT_TYPES, UNKNOWN_TYPE } from "../../../schemas/media_types.ts";
import type { ParsedDocument } from "../../../store/knowledge/document_task_queue.ts";
import {
  DOCUMENT_PARSE_ERROR_CODES,
  type DocumentParseErrorCode,
} from "../document_parse_error.ts";
import type { Upload } from "../parse_upload.ts";
import type { DocumentText } from "../read_text.ts";
import type { ReadPage } from "../../crawl/pages/read_page.ts";
import type { Sitemap } from "../../crawl/pages/read_sitemap.ts";
import { MAX_LINK_LENGTH, MAX_LINKS, MAX_SITEMAP_URLS } from "../../crawl/pages/page_limits.ts";
import { encodeFrame, type Frame, FrameError, type FrameLimits } from "./frames.ts";

const MIB = 1024 * 1024;

/** A body of 20 MiB, with its encoding as form or JSON. */
export const JOB_LIMITS: FrameLimits = { headerBytes: MIB, payloadBytes: 32 * MIB, payloads: 1 };
/** A document may have taken over its worker, so results are validated like any other input. */
export const RESULT_LIMITS: FrameLimits = {
  headerBytes: 4 * MIB,
  payloadBytes: 64 * MIB,
  payloads: 10_000,
};

const jobSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("document"), type: z.enum(DOCUMENT_TYPES) }),
  z.object({ kind: z.literal("upload"), contentType: z.string(), several: z.boolean() }),
  z.object({
    kind: z.literal("text"),
    type: z.enum(FILE_TYPES),
    maxBytes: z.int().positive().max(MIB),
  }),
  z.object({ kind: z.literal("page"), url: z.string(), charset: z.string().optional() }),
  z.object({ kind: z.literal("sitemap") }),
]);

/**
 * A document to parse, the body of an upload, a document to read as plain text, or a page or a sitemap of a
 * website.
 */
export type Job = z.infer<typeof jobSchema> & { bytes: Uint8Array<ArrayBuffer> };

const shortText = z.string().max(1_000);
const link = z.string().max(MAX_LINK_LENGTH);
const resultSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("document"),
    passages: z.int().min(1).max(KNOWLEDGE_BOUNDS.chunksPerBase),
  }),
  z.object({
    kind: z.literal("uploads"),
    uploads: z.array(z.object({
      title: z.string().min(1).max(KNOWLEDGE_BOUNDS.titleLength),
      mediaType: z.enum([...DOCUMENT_TYPES, UNKNOWN_TYPE]),
    })).min(1),
  }),
  z.object({ kind: z.literal("text"), cut: z.boolean() }),
  z.object({
    kind: z.literal("page"),
    title: z.string().max(KNOWLEDGE_BOUNDS.titleLength),
    links: z.array(link).max(MAX_LINKS),
    canonical: link.optional(),
    noindex: z.boolean(),
    nofollow: z.boolean(),
  }),
  z.object({
    kind: z.literal("sitemap"),
    pages: z.array(link).max(MAX_SITEMAP_URLS),
    sitemaps: z.array(link).max(MAX_SITEMAP_URLS),
  }),
  z.object({
    kind: z.literal("invalid"),
    issues: z.array(z.object({ path: z.string(), code: shortText, message: shortText }))
      .min(1).max(400),
  }),
  z.object({
    kind: z.literal("unreadable"),
    code: z.enum(DOCUMENT_PARSE_ERROR_CODES),
    message: shortText,
  }),
]);

export type JobResult =
  | { kind: "document" } & ParsedDocument
  | { kind: "uploads"; uploads: Upload[] }
  | { kind: "text" } & DocumentText
  | { kind: "page" } & ReadPage
  | { kind: "sitemap" } & Sitemap
  | { kind: "invalid"; issues: ValidationIssue[] }
  | { kind: "unreadable"; code: DocumentParseErrorCode; message: string };

/**
 * Only the fields of a job: a hostile document may take over the worker, which must not find there what
 * else a caller's object has.
 */
export function encodeJob({ bytes, ...header }: Job): Uint8Array<ArrayBuffer>[] {
  return encodeFrame(jobSchema.parse(header), [bytes]);
}

/** Throws `FrameError`. */
export function parseJob({ header, payloads: [bytes] }: Frame): Job {
  const job = jobSchema.safeParse(header);
  if (job.success && bytes !== undefined) return { ...job.data, bytes };
  throw new FrameError("invalid job message");
}

export function encodeResult(result: JobResult): Uint8Array<ArrayBuffer>[] {
  if (result.kind === "document") {
    const { chunks, ...header } = result;
    return encodeFrame(header, chunks);
  }
  if (result.kind === "text") {
    return encodeFrame({ kind: "text", cut: result.cut }, [result.bytes]);
  }
  if (result.kind === "page") {
    const { html, ...header } = result;
    return encodeFrame(header, [html]);
  }
  if (result.kind !== "uploads") return encodeFrame({ ...result });
  const uploads = result.uploads.map(({ title, mediaType }) => ({ title, mediaType }));
  return encodeFrame({ kind: "uploads", uploads }, result.uploads.map(({ bytes }) => bytes));
}

/** Throws `FrameError`. */
export function parseResult({ header, payloads }: Frame): JobResult {
  const { success, data } = resultSchema.safeParse(header);
  if (!success) throw new FrameError("invalid result message");
  if (data.kind === "document") return { ...data, chunks: payloads };
  if (data.kind === "text") {
    const [bytes] = payloads;
    if (bytes === undefined || bytes.length > MIB) throw new FrameError("a text without its bytes");
    return { ...data, bytes };
  }
  if (data.kind === "page") {
    const [html] = payloads;
    if (html === undefined) throw new FrameError("a page without its content");
    return { ...data, html };
  }
  if (data.kind !== "uploads") return data;
  if (data.uploads.length !== payloads.length) {
    throw new FrameError("the number of payloads does not match the number of documents");
  }
  const uploads = data.uploads.map((upload, n) => ({ ...upload, bytes: payloads[n]! }));
  return { kind: "uploads", uploads };
}
