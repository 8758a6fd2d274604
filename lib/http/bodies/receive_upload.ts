import { BusyError } from "../../platform/busy_error.ts";
import { ApiError, validationError } from "../../schemas/api_error.ts";
import type { UploadFormat } from "../../knowledge/ingest/parse_upload.ts";
import { DocumentParseError } from "../../knowledge/ingest/document_parse_error.ts";
import type { WorkerPool } from "../../knowledge/ingest/worker/worker_pool.ts";
import type { Upload, UploadIssue } from "../../knowledge/ingest/worker/job_messages.ts";
import { runJob } from "../../knowledge/ingest/worker/run_job.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { UPLOAD_RATE } from "./arrival_rate.ts";
import { FairSemaphore, type PermitHolder } from "./fair_semaphore.ts";
import { readBounded } from "./read_bounded.ts";
import { senderAddress } from "./request_sender.ts";

/** What a form or a JSON object adds to the document in it. */
const ENVELOPE_BYTES = 64 * 1024;
/** Larger bodies take longer than the event loop may stand still. */
const INLINE_BYTES = 256 * 1024;

/**
 * Each slot holds a body of up to 20 MiB, for as long as its sender takes. Whatever a few tenants send,
 * a slot is free for one that is sending nothing yet.
 */
const receiveSemaphore = new FairSemaphore({
  ...{ permits: 24, maxPerTenant: 8, maxPerAddress: 12, reserved: 4 },
  ...{ maxWaitingPerTenant: 16, maxWaitMs: 20_000 },
});
/** Each takes a core. */
const parseSemaphore = new FairSemaphore({
  ...{ permits: 2, maxPerTenant: 2, maxPerAddress: 2, reserved: 0, maxWaitingPerTenant: 24 },
});

/** What `receiveUpload` needs. */
export interface UploadContext {
  runtime: Runtime;
  workers: Pick<WorkerPool, "run" | "maxDocumentBytes">;
  /** The holder of the upload slot. */
  tenant: string;
}

/** 413 or 415 for a request that says beforehand that it cannot be taken. */
export function rejectUpload(req: Request, { workers }: Pick<UploadContext, "workers">): void {
  const length = req.headers.get("content-length");
  if (Number(length) > maxBodyBytes(workers)) throw tooLarge(workers);
  const coding = req.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") {
    throw new ApiError("unsupported_media_type", "send the body without content-encoding");
  }
  if (req.body === null || length === "0") return;
  const type = req.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json" || type === "multipart/form-data") return;
  const message = "send the document as multipart/form-data, or as application/json";
  throw new ApiError("unsupported_media_type", message);
}

/**
 * The document of a request that `rejectUpload` let pass. Call it with the credential checked: a
 * stranger's 20 MiB are not worth reading. Throws `ApiError` 400, 413, and 503 when the tenant sends
 * too many at once.
 */
export async function receiveUpload(req: Request, context: UploadContext): Promise<Upload> {
  const [upload] = await receive(req, { ...context, several: false });
  if (upload === undefined) throw new TypeError("an opened body has no document");
  return upload;
}

/** The documents of a form that may hold several, 20 MiB together. */
export function receiveUploads(req: Request, context: UploadContext): Promise<Upload[]> {
  return receive(req, { ...context, several: true });
}

async function receive(
  req: Request,
  { runtime, several, ...context }: UploadContext & { several: boolean },
): Promise<Upload[]> {
  const holder: PermitHolder = { tenant: context.tenant, address: senderAddress(req) };
  try {
    return await receiveSemaphore.run({ holder, runtime }, async () => {
      const bytes = await readUpload(req, { runtime, workers: context.workers });
      const contentType = req.headers.get("content-type") ?? "";
      const open = () => parseBody(bytes, { contentType, several, ...context });
      const opened = await parseSemaphore.run({ holder, runtime }, open);
      const { maxDocumentBytes } = context.workers;
      if (opened.some((one) => one.bytes.length > maxDocumentBytes)) {
        throw tooLarge(context.workers);
      }
      return opened;
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
  if (bytes !== "too_slow") return bytes;
  throw faulty([{
    path: "",
    code: "body_timeout",
    message: "the body arrived too slowly: send at least 4 KiB per second",
  }]);
}

async function parseBody(
  bytes: Uint8Array<ArrayBuffer>,
  { workers, tenant, ...sent }: UploadFormat & Omit<UploadContext, "runtime">,
): Promise<Upload[]> {
  try {
    const result = bytes.length <= INLINE_BYTES
      ? await runJob({ kind: "open", bytes, ...sent })
      : await workers.run({ kind: "open", bytes, ...sent }, { tenant });
    if (result.kind === "opened") return result.uploads;
    if (result.kind === "faulty") throw faulty(result.faults);
    if (result.kind === "unreadable") throw unreadable(result.message);
    throw new TypeError(`a worker answered ${result.kind} to an upload`);
  } catch (error) {
    throw error instanceof DocumentParseError ? unreadable(error.message) : error;
  }
}

function unreadable(message: string): ApiError {
  return faulty([{ path: "", code: "unreadable", message }]);
}

function faulty(faults: UploadIssue[]): ApiError {
  return validationError(faults);
}

/** All documents of one body are held in memory together. */
function maxBodyBytes({ maxDocumentBytes }: UploadContext["workers"]): number {
  return maxDocumentBytes + ENVELOPE_BYTES;
}

function tooLarge({ maxDocumentBytes }: UploadContext["workers"]): ApiError {
  const message = maxDocumentBytes === KNOWLEDGE_BOUNDS.documentBytes
    ? "a document is at most 20 MiB"
    : `a document is at most ${
      maxDocumentBytes / 1_024
    } KiB on this server, because it cannot start ` +
      "a process to read larger ones; split it up";
  return new ApiError("payload_too_large", message);
}

/** What tells uploads apart under one `Idempotency-Key`: all of it, the content as its SHA-256. */
export async function uploadIdentity({ title, mediaType, bytes }: Upload) {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return { title, mediaType, sha256: new Uint8Array(digest).toHex() };
}
