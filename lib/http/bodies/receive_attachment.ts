import { BusyError } from "../../platform/busy_error.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { ApiError, validationError } from "../../schemas/api_error.ts";
import { ATTACHMENT_BOUNDS } from "../../schemas/limits.ts";
import { UPLOAD_RATE } from "./arrival_rate.ts";
import { FairSemaphore, type PermitHolder } from "./fair_semaphore.ts";
import { type FormFile, parseFormFile } from "./parse_form_file.ts";
import { bodyTimeout, mediaTypeOf, readBounded, rejectCompressedBody } from "./read_bounded.ts";
import { senderAddress } from "./request_sender.ts";

/** Allowance for the form around a file. */
const ENVELOPE_BYTES = 8 * 1024;
const MAX_BODY_BYTES = ATTACHMENT_BOUNDS.fileBytes + ENVELOPE_BYTES;

/** Each holds up to 10 MiB as long as the sender takes; some are for tenants without one. */
const receiveSemaphore = new FairSemaphore({
  ...{ permits: 24, maxPerTenant: 12, maxPerAddress: 4, reserved: 4 },
  ...{ maxWaitingPerTenant: 16, maxWaitMs: 20_000 },
});
/** Each holds several copies of a file for a moment, and may start a process. */
const storeSemaphore = new FairSemaphore({
  ...{ permits: 2, maxPerTenant: 2, maxPerAddress: 2, reserved: 0, maxWaitingPerTenant: 24 },
});

/** Throws 413 or 415 if the headers already show that the file cannot be accepted. */
export function rejectAttachment(req: Request): void {
  const length = req.headers.get("content-length");
  if (Number(length) > MAX_BODY_BYTES) throw tooLarge();
  rejectCompressedBody(req);
  if (req.body === null || length === "0") return;
  if (mediaTypeOf(req) === "multipart/form-data") return;
  const message = "send the file as multipart/form-data, in the field `file`";
  throw new ApiError("unsupported_media_type", message);
}

/**
 * Receives the file of a request that passed `rejectAttachment` and hands it to `store`, for a few files
 * at a time. Call it after authentication. Throws `ApiError` 400, 413, and 503 for too many at once.
 */
export async function receiveAttachment<T>(
  req: Request,
  { tenant, runtime, store }: {
    tenant: string;
    runtime: Runtime;
    store: (file: FormFile) => Promise<T>;
  },
): Promise<T> {
  const holder: PermitHolder = { tenant, address: senderAddress(req) };
  try {
    return await receiveSemaphore.run({ holder, runtime }, async () => {
      const file = await readFile(req, runtime);
      return await storeSemaphore.run({ holder, runtime }, () => store(file));
    });
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    const headers = { "retry-after": "5" };
    throw new ApiError("service_unavailable", "too many concurrent uploads", { headers });
  }
}

async function readFile(req: Request, runtime: Runtime): Promise<FormFile> {
  const limit = MAX_BODY_BYTES;
  if (req.body === null) throw fileError("required", "a file is required");
  const bytes = await readBounded(req.body, { limit, runtime, arrival: UPLOAD_RATE });
  if (bytes === "too_large") throw tooLarge();
  if (bytes === "too_slow") throw bodyTimeout();
  const file = parseFormFile(bytes, req.headers.get("content-type") ?? "");
  if ("issue" in file) throw fileError("invalid_form", file.issue);
  if (file.bytes.length === 0) throw fileError("too_small", "is empty");
  if (file.bytes.length > ATTACHMENT_BOUNDS.fileBytes) throw tooLarge();
  return file;
}

function fileError(code: string, message: string): ApiError {
  return validationError([{ path: "file", code, message }]);
}

function tooLarge(): ApiError {
  return new ApiError("payload_too_large", "a file is at most 10 MiB");
}
