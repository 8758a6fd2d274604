import {
  DOCUMENT_TYPES,
  type DocumentType,
  type MediaType,
  UNKNOWN_TYPE,
} from "../../../schemas/media_types.ts";
import {
  DOCUMENT_PARSE_ERROR_CODES,
  type DocumentParseErrorCode,
} from "../document_parse_error.ts";
import { z } from "zod";
import { KNOWLEDGE_BOUNDS } from "../../../schemas/limits.ts";
import { encodeFrame, type Frame, FrameError, type FrameLimits } from "./frames.ts";

/** What a worker process is asked to do. */
export type Job =
  | { kind: "read"; bytes: Uint8Array<ArrayBuffer>; type: DocumentType }
  | {
    kind: "open";
    bytes: Uint8Array<ArrayBuffer>;
    contentType: string;
    /** Whether a form may hold several files. */
    several: boolean;
  };

/** What a worker process answers. */
export type JobResult =
  | {
    kind: "read";
    /** As of a `ParsedDocument`. */
    parts: Uint8Array<ArrayBuffer>[];
    chunks: number;
  }
  | { kind: "opened"; uploads: Upload[] }
  | { kind: "faulty"; faults: UploadIssue[] }
  | { kind: "unreadable"; code: DocumentParseErrorCode; message: string };

/** A document as it was sent, taken out of its request's body. */
export interface Upload {
  title: string;
  mediaType: MediaType;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What is wrong with a body; `path` as in `ValidationIssue`. */
export interface UploadIssue {
  path: string;
  code: string;
  message: string;
}

const MIB = 1024 * 1024;

/** What the service may send to a worker: a body of 20 MiB with what wraps it. */
export const JOB_LIMITS: FrameLimits = { headerBytes: MIB, payloadBytes: 32 * MIB, payloads: 1 };
/**
 * What a worker may answer. A document may have taken it over, so its answers are checked like any
 * other input from outside.
 */
export const RESULT_LIMITS: FrameLimits = {
  headerBytes: 4 * MIB,
  payloadBytes: 64 * MIB,
  payloads: 10_000,
};

const shortText = z.string().max(1_000);
const mediaTypeSchema = z.enum([...DOCUMENT_TYPES, UNKNOWN_TYPE]);
const issueSchema = z.object({ path: z.string(), code: shortText, message: shortText });

const jobSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("read"), type: z.enum(DOCUMENT_TYPES) }),
  z.object({ kind: z.literal("open"), contentType: z.string(), several: z.boolean() }),
]);

const resultSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("read"),
    chunks: z.int().min(1).max(KNOWLEDGE_BOUNDS.chunksPerBase),
  }),
  z.object({
    kind: z.literal("opened"),
    uploads: z.array(
      z.object({
        title: z.string().min(1).max(KNOWLEDGE_BOUNDS.titleLength),
        mediaType: mediaTypeSchema,
      }),
    ).min(1),
  }),
  z.object({ kind: z.literal("faulty"), faults: z.array(issueSchema).min(1).max(400) }),
  z.object({
    kind: z.literal("unreadable"),
    code: z.enum(DOCUMENT_PARSE_ERROR_CODES),
    message: shortText,
  }),
]);

export function encodeJob({ bytes, ...header }: Job): Uint8Array<ArrayBuffer>[] {
  return encodeFrame(header, [bytes]);
}

/** Throws `FrameError` for what is not a job. */
export function parseJob({ header, payloads: [bytes] }: Frame): Job {
  const request = jobSchema.safeParse(header);
  if (request.success && bytes !== undefined) return { ...request.data, bytes };
  throw new FrameError("invalid job message");
}

export function encodeResult(result: JobResult): Uint8Array<ArrayBuffer>[] {
  if (result.kind === "read") {
    const { parts, ...header } = result;
    return encodeFrame(header, parts);
  }
  if (result.kind !== "opened") return encodeFrame(result);
  const uploads = result.uploads.map(({ title, mediaType }) => ({ title, mediaType }));
  return encodeFrame({ kind: "opened", uploads }, result.uploads.map(({ bytes }) => bytes));
}

/** Throws `FrameError` for what is not an answer. */
export function parseResult({ header, payloads }: Frame): JobResult {
  const answer = resultSchema.safeParse(header);
  if (!answer.success) throw new FrameError("invalid result message");
  if (answer.data.kind === "read") return { ...answer.data, parts: payloads };
  if (answer.data.kind !== "opened") return answer.data;
  const uploads = answer.data.uploads.flatMap((upload, n) => {
    const bytes = payloads[n];
    return bytes === undefined ? [] : [{ ...upload, bytes }];
  });
  if (uploads.length !== payloads.length || uploads.length !== answer.data.uploads.length) {
    throw new FrameError("the number of body parts does not match the number of documents");
  }
  return { kind: "opened", uploads };
}
