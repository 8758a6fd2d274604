import { BusyError, Semaphore } from "../accounts/semaphore.ts";
import { ApiError, invalid } from "../errors.ts";
import type { Sent } from "../knowledge/open_upload.ts";
import { UnreadableError } from "../knowledge/unreadable.ts";
import type { WorkerPool } from "../knowledge/worker/worker_pool.ts";
import type { Upload, UploadFault } from "../knowledge/worker_job.ts";
import { doJob } from "../knowledge/worker/do_job.ts";
import type { System } from "../system.ts";
import { KNOWLEDGE_BOUNDS } from "../wire/limits.ts";
import { readBounded } from "./read_bounded.ts";

/** What a form or a JSON object adds to the document in it. */
const WRAPPING_BYTES = 64 * 1024;
const MAX_BYTES = KNOWLEDGE_BOUNDS.documentBytes + WRAPPING_BYTES;
/** 20 MiB at 3 Mbit/s. */
const BODY_MS = 60_000;
/** Larger bodies take longer than the event loop may stand still. */
const INLINE_BYTES = 256 * 1024;

/** Each holds a body of up to 20 MiB, for as long as its sender takes. */
const uploads = new Semaphore(24, 0);
/** Each takes a core. */
const openers = new Semaphore(2, 24);

/** What an upload is received with, and for whom. */
export interface Receiving {
  system: System;
  workers: Pick<WorkerPool, "run">;
  tenant: string;
}

/** 413 or 415 for a request that says beforehand that it cannot be taken. */
export function refuseUpload(req: Request): void {
  const length = req.headers.get("content-length");
  if (Number(length) > MAX_BYTES) throw tooLarge();
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
 * The document of a request that `refuseUpload` let pass. Call it with the credential checked: a
 * stranger's 20 MiB are not worth reading. Throws `ApiError` 400, 413, and 503 when too many upload
 * at once.
 */
export async function receiveUpload(req: Request, receiving: Receiving): Promise<Upload> {
  const [upload] = await receive(req, { ...receiving, several: false });
  if (upload === undefined) throw new TypeError("an opened body has no document");
  return upload;
}

/** The documents of a form that may hold several, 20 MiB together. */
export function receiveUploads(req: Request, receiving: Receiving): Promise<Upload[]> {
  return receive(req, { ...receiving, several: true });
}

async function receive(
  req: Request,
  { system, several, ...by }: Receiving & { several: boolean },
): Promise<Upload[]> {
  try {
    return await uploads.run(async () => {
      const bytes = await readUpload(req, system);
      const contentType = req.headers.get("content-type") ?? "";
      const opened = await openers.run(() => open(bytes, { contentType, several, ...by }));
      const isLarge = (one: Upload) => one.bytes.length > KNOWLEDGE_BOUNDS.documentBytes;
      if (opened.some(isLarge)) throw tooLarge();
      return opened;
    });
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    throw new ApiError("service_unavailable", "too many documents are being sent at once", {
      headers: { "retry-after": "5" },
    });
  }
}

async function readUpload(req: Request, system: System): Promise<Uint8Array<ArrayBuffer>> {
  if (req.body === null) return new Uint8Array();
  const bytes = await readBounded(req.body, { limit: MAX_BYTES, system, ms: BODY_MS });
  if (bytes === "too_large") throw tooLarge();
  if (bytes !== "too_slow") return bytes;
  throw faulty([{ path: "", code: "body_timeout", message: "did not arrive within 60 s" }]);
}

async function open(
  bytes: Uint8Array<ArrayBuffer>,
  { workers, tenant, ...sent }: Sent & Omit<Receiving, "system">,
): Promise<Upload[]> {
  try {
    const result = bytes.length <= INLINE_BYTES
      ? await doJob({ kind: "open", bytes, ...sent })
      : await workers.run({ kind: "open", bytes, ...sent }, { tenant });
    if (result.kind === "opened") return result.uploads;
    if (result.kind === "faulty") throw faulty(result.faults);
    if (result.kind === "unreadable") throw unreadable(result.message);
    throw new TypeError(`a worker answered ${result.kind} to an upload`);
  } catch (error) {
    throw error instanceof UnreadableError ? unreadable(error.message) : error;
  }
}

function unreadable(message: string): ApiError {
  return faulty([{ path: "", code: "unreadable", message }]);
}

function faulty(faults: UploadFault[]): ApiError {
  return invalid(faults);
}

function tooLarge(): ApiError {
  return new ApiError("payload_too_large", "a document is at most 20 MiB");
}
