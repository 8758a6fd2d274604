import type { DocumentType, MediaType } from "../schemas/media_types.ts";
import type { UnreadableCode } from "./unreadable.ts";

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
    /** As of a `ReadDocument`. */
    parts: Uint8Array<ArrayBuffer>[];
    chunks: number;
  }
  | { kind: "opened"; uploads: Upload[] }
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
