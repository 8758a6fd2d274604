import type { DocumentType, MediaType } from "../wire/media_types.ts";
import type { UnreadableCode } from "./unreadable.ts";

/**
 * What a worker is asked to do. Buffers go over whole and are gone here. They are no `Uint8Array`: a
 * worker's port looks at each byte of one by itself, 3 s for 20 MiB (measured).
 */
export type Job =
  | { kind: "read"; buffer: ArrayBuffer; type: DocumentType }
  | { kind: "open"; buffer: ArrayBuffer; contentType: string; several: boolean };

/** What a worker answers. */
export type JobResult =
  | {
    kind: "read";
    /** As of a `ReadDocument`. */
    parts: ArrayBuffer[];
    chunks: number;
  }
  | { kind: "opened"; uploads: { title: string; mediaType: MediaType; buffer: ArrayBuffer }[] }
  | { kind: "faulty"; faults: UploadFault[] }
  | { kind: "unreadable"; code: UnreadableCode; message: string };

/** A document as it was sent, taken out of its request's body. */
export interface Upload {
  title: string;
  mediaType: MediaType;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What is wrong with a body; `path` as in `ValidationIssue`. */
export interface UploadFault {
  path: string;
  code: string;
  message: string;
}
