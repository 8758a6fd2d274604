import { detectMediaType, isPdf } from "../knowledge/ingest/detect_media_type.ts";
import { DocumentParseError } from "../knowledge/ingest/document_parse_error.ts";
import type { DocumentText } from "../knowledge/ingest/read_text.ts";
import type { WorkerPool } from "../knowledge/ingest/worker/worker_pool.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import type { AttachmentKind, AttachmentType, FileType } from "../schemas/attachment.ts";
import { ATTACHMENT_BOUNDS } from "../schemas/limits.ts";
import type { NewAttachment } from "../store/attachments/attachment_record.ts";
import { ImageError } from "./images/image_error.ts";
import { rewriteImage, sniffImageType } from "./images/rewrite_image.ts";

export interface UploadedFile {
  bytes: Uint8Array<ArrayBuffer>;
  name: string | undefined;
}

export interface ReadAttachmentOptions {
  tenant: string;
  workers: Pick<WorkerPool, "run">;
  /** What the agent takes. */
  kinds: readonly AttachmentKind[];
}

const DEFAULT_NAMES = {
  "image/png": "image.png",
  "image/jpeg": "image.jpg",
  "image/webp": "image.webp",
  "image/gif": "image.gif",
  "application/pdf": "document.pdf",
  "text/plain": "document.txt",
  "text/markdown": "document.md",
  "text/csv": "document.csv",
} as const satisfies Record<AttachmentType, string>;

/**
 * Checks an uploaded file and prepares it to be stored: an image without its metadata, a document with
 * its text. Its content alone decides what it is. Throws `ApiError` 415 for other types, and 400 for a
 * file that is damaged or that the agent does not take.
 */
export async function readAttachment(
  { bytes, name }: UploadedFile,
  { tenant, workers, kinds }: ReadAttachmentOptions,
): Promise<NewAttachment> {
  const imageType = sniffImageType(bytes);
  if (imageType !== undefined) {
    requireKind("image", kinds);
    try {
      const { width, height, ...image } = rewriteImage(bytes, imageType);
      const named = name ?? DEFAULT_NAMES[image.mediaType];
      return { kind: "image", name: named, ...image, size: { width, height } };
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      throw fileError("invalid_image", `the image ${error.message}`);
    }
  }
  const mediaType = fileTypeOf(bytes, name);
  if (mediaType === undefined) throw unsupported();
  requireKind("document", kinds);
  const text = await readTextIn(workers, { tenant, bytes, type: mediaType });
  // The text may still be a view of the worker's message.
  return { kind: "document", name: name ?? DEFAULT_NAMES[mediaType], mediaType, bytes, text };
}

/** Kinds of text look alike, so the name chooses between them, and between nothing else. */
function fileTypeOf(bytes: Uint8Array, name = ""): FileType | undefined {
  const detected = detectMediaType(bytes, {});
  if (detected === "application/pdf") return startsAsPdf(bytes) ? detected : undefined;
  if (detected !== "text/plain") return undefined;
  if (/\.(?:md|markdown)$/i.test(name)) return "text/markdown";
  return /\.csv$/i.test(name) ? "text/csv" : "text/plain";
}

/** A PDF that begins with something else could be read as that. */
function startsAsPdf(bytes: Uint8Array): boolean {
  return isPdf(bytes.subarray(0, 5));
}

async function readTextIn(
  workers: ReadAttachmentOptions["workers"],
  { tenant, bytes, type }: { tenant: string; bytes: Uint8Array<ArrayBuffer>; type: FileType },
): Promise<DocumentText> {
  const job = { kind: "text", bytes, type, maxBytes: ATTACHMENT_BOUNDS.textBytes } as const;
  try {
    const result = await workers.run(job, { tenant });
    if (result.kind === "text") return result;
    if (result.kind !== "unreadable") throw new TypeError(`unexpected result: ${result.kind}`);
    throw fileError(result.code, result.message);
  } catch (error) {
    throw error instanceof DocumentParseError ? fileError(error.code, error.message) : error;
  }
}

function requireKind(kind: AttachmentKind, kinds: readonly AttachmentKind[]): void {
  if (kinds.includes(kind)) return;
  throw fileError("attachment_not_allowed", `this agent takes no ${kind}s`);
}

function fileError(code: string, message: string): ApiError {
  return validationError([{ path: "file", code, message }]);
}

function unsupported(): ApiError {
  return new ApiError(
    "unsupported_media_type",
    "this is none of the accepted files: PNG, JPEG, WebP and GIF images, PDF, and plain text, " +
      "Markdown or CSV",
  );
}
