import type { DocumentType, MediaType } from "../wire/media_types.ts";
import type { ReadDocument } from "./read_document.ts";
import type { UnreadableCode } from "./unreadable.ts";

/** What a worker is asked to do. Its bytes go over to the worker and are gone here. */
export type Job =
  | { kind: "read"; bytes: Uint8Array<ArrayBuffer>; type: DocumentType }
  | { kind: "open"; bytes: Uint8Array<ArrayBuffer>; contentType: string };

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

/** What a worker answers. */
export type JobResult =
  | { kind: "read"; document: ReadDocument }
  | { kind: "opened"; upload: Upload }
  | { kind: "faulty"; faults: UploadFault[] }
  | { kind: "unreadable"; code: UnreadableCode; message: string };
