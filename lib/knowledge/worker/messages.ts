import { z } from "zod";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { DOCUMENT_TYPES, UNKNOWN_TYPE } from "../../schemas/media_types.ts";
import { UNREADABLE_CODES } from "../unreadable.ts";
import type { Job, JobResult } from "../worker_job.ts";
import { encodeFrame, type Frame, FrameError, type FrameLimits } from "./frames.ts";

const MIB = 1024 * 1024;

/** What the service may send to a worker: a body of 20 MiB with what wraps it. */
export const REQUEST_LIMITS: FrameLimits = { headerBytes: MIB, partBytes: 32 * MIB, parts: 1 };
/**
 * What a worker may answer. A document may have taken it over, so its answers are checked like any
 * other input from outside.
 */
export const ANSWER_LIMITS: FrameLimits = {
  headerBytes: 4 * MIB,
  partBytes: 64 * MIB,
  parts: 10_000,
};

const shortText = z.string().max(1_000);
const mediaTypeSchema = z.enum([...DOCUMENT_TYPES, UNKNOWN_TYPE]);
const faultSchema = z.object({ path: z.string(), code: shortText, message: shortText });

const requestSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("read"), type: z.enum(DOCUMENT_TYPES) }),
  z.object({ kind: z.literal("open"), contentType: z.string(), several: z.boolean() }),
]);

const answerSchema = z.discriminatedUnion("kind", [
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
  z.object({ kind: z.literal("faulty"), faults: z.array(faultSchema).min(1).max(400) }),
  z.object({ kind: z.literal("unreadable"), code: z.enum(UNREADABLE_CODES), message: shortText }),
]);

export function encodeJob({ bytes, ...header }: Job): Uint8Array<ArrayBuffer>[] {
  return encodeFrame(header, [bytes]);
}

/** Throws `FrameError` for what is not a job. */
export function toJob({ header, parts: [bytes] }: Frame): Job {
  const request = requestSchema.safeParse(header);
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
export function toResult({ header, parts }: Frame): JobResult {
  const answer = answerSchema.safeParse(header);
  if (!answer.success) throw new FrameError("invalid result message");
  if (answer.data.kind === "read") return { ...answer.data, parts };
  if (answer.data.kind !== "opened") return answer.data;
  const uploads = answer.data.uploads.flatMap((upload, n) => {
    const bytes = parts[n];
    return bytes === undefined ? [] : [{ ...upload, bytes }];
  });
  if (uploads.length !== parts.length || uploads.length !== answer.data.uploads.length) {
    throw new FrameError("the number of body parts does not match the number of documents");
  }
  return { kind: "opened", uploads };
}
