import { bodyArrived } from "./body_checks.ts";
import { BusyError } from "../../platform/busy_error.ts";
import { ApiError, validationError } from "../../schemas/api_error.ts";
import type { Upload, UploadFormat } from "../../knowledge/ingest/parse_upload.ts";
import { DocumentParseError } from "../../knowledge/ingest/document_parse_error.ts";
import type { WorkerPool } from "../../knowledge/ingest/worker/worker_pool.ts";
import { runJob } from "../../knowledge/ingest/worker/run_job.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { UPLOAD_RATE } from "./arrival_rate.ts";
import { FairSemaphore, type PermitHolder } from "./fair_semaphore.ts";
import { bodyTimeout, mediaTypeOf, readBounded, rejectCompressedBody } from "./read_bounded.ts";
import { senderAddress } from "./request_sender.ts";

/** Allowance for the form or JSON object around a document. */
const ENVELOPE_BYTES = 64 * 1024;
/** Larger bodies are parsed in a worker, because they would block the event loop for too long. */
const INLINE_BYTES = 256 * 1024;

/** Each holds up to 20 MiB as long as the sender takes; some are for tenants without one. */
const receiveSemaphore = new FairSemaphore({
  ...{ permits: 24, maxPerTenant: 8, maxPerAddress: 12, reserved: 4 },
  ...{ maxWaitingPerTenant: 16, maxWaitMs: 20_000 },
});
/** Parsing takes a core each. */
const parseSemaphore = new FairSemaphore({
  ...{ permits: 2, maxPerTenant: 2, maxPerAddress: 2, reserved: 0, maxWaitingPerTenant: 24 },
});

export interface UploadContext {
  runtime: Runtime;
  workers: Pick<WorkerPool, "run" | "maxDocumentBytes">;
  tenant: string;
}

/** Throws 413 or 415 if the headers already show that the upload cannot be accepted. */
export function rejectUpload(req: Request, { workers }: Pick<UploadContext, "workers">): void {
  const length = req.headers.get("content-length");
  if (Number(length) > maxBodyBytes(workers)) throw tooLarge(workers);
  rejectCompressedBody(req);
  if (req.body === null || length === "0") return;
  const type = mediaTypeOf(req);
  if (type === "application/json" || type === "multipart/form-data") return;
  const message = "send the document as multipart/form-data, or as application/json";
  throw new ApiError("unsupported_media_type", message);
}

/**
 * Receives the document of a request that passed `rejectUpload`. Call it after authentication, so
 * that nobody else can send 20 MiB. Throws `ApiError` 400, 413, and 503 for too many at once.
 */
export async function receiveUpload(req: Request, context: UploadContext): Promise<Upload> {
  const [upload] = await receive(req, { ...context, several: false });
  if (upload === undefined) throw new TypeError("the parsed body has no document");
  return upload;
}

/** As `receiveUpload`, for a form with several documents of up to 20 MiB in total. */
export function receiveUploads(req: Request, context: UploadContext): Promise<Upload[]> {
  return receive(req, { ...context, several: true });
}

async function receive(
  req: Request,
  { runtime, workers, tenant, several }: UploadContext & { several: boolean },
): Promise<Upload[]> {
  const holder: PermitHolder = { tenant, address: senderAddress(req) };
  try {
    return await receiveSemaphore.run({ holder, runtime }, async () => {
      const bytes = await readUpload(req, { runtime, workers });
      const contentType = req.headers.get("content-type") ?? "";
      const parse = () => parseBody(bytes, { contentType, several, workers, tenant });
      const uploads = await parseSemaphore.run({ holder, runtime }, parse);
      const fit = uploads.every(({ bytes }) => bytes.length <= workers.maxDocumentBytes);
      if (!fit) throw tooLarge(workers);
      return uploads;
    });
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    const headers = { "retry-after": "5" };
    throw new ApiError("service_unavailable", "too many concurrent uploads", { headers });
  }
}

async function readUpload(
  req: Request,
  { runtime, workers }: Pick<UploadContext, "runtime" | "workers">,
): Promise<Uint8Array<ArrayBuffer>> {
  if (req.body === null) return new Uint8Array();
  const limit = maxBodyBytes(workers);
  const bytes = await readBounded(req.body, { limit, runtime, arrival: UPLOAD_RATE });
  if (bytes === "too_large") throw tooLarge(workers);
  if (bytes === "too_slow") throw bodyTimeout();
  await bodyArrived(req);
  return bytes;
}

async function parseBody(
  bytes: Uint8Array<ArrayBuffer>,
  { workers, tenant, contentType, several }: UploadFormat & Omit<UploadContext, "runtime">,
): Promise<Upload[]> {
  const job = { kind: "upload", bytes, contentType, several } as const;
  try {
    const result = bytes.length <= INLINE_BYTES
      ? await runJob(job)
      : await workers.run(job, { tenant });
    if (result.kind === "uploads") return result.uploads;
    if (result.kind === "invalid") throw validationError(result.issues);
    if (result.kind === "unreadable") throw unreadable(result.message);
    throw new TypeError(`unexpected worker result for an upload: ${result.kind}`);
  } catch (error) {
    throw error instanceof DocumentParseError ? unreadable(error.message) : error;
  }
}

function unreadable(message: string): ApiError {
  return validationError([{ path: "", code: "unreadable", message }]);
}

/** The limit holds for all documents of one body together, because all are held in memory. */
function maxBodyBytes({ maxDocumentBytes }: UploadContext["workers"]): number {
  return maxDocumentBytes + ENVELOPE_BYTES;
}

function tooLarge({ maxDocumentBytes }: UploadContext["workers"]): ApiError {
  const message = maxDocumentBytes === KNOWLEDGE_BOUNDS.documentBytes
    ? "a document is at most 20 MiB"
    : `a document is at most ${maxDocumentBytes / 1_024} KiB on this server, because it cannot ` +
      "start a process to read larger ones; split it up";
  return new ApiError("payload_too_large", message);
}

/** The request value that an `Idempotency-Key` is bound to; the content as its SHA-256. */
export async function uploadIdentity({ title, mediaType, bytes }: Upload) {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return { title, mediaType, sha256: new Uint8Array(digest).toHex() };
}
