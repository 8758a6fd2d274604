import { ApiError, validationError } from "../../schemas/api_error.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { FIELD_BOUNDS } from "../../schemas/limits.ts";
import { bodyArrived } from "./body_checks.ts";
import { BODY_BUDGET } from "./byte_budget.ts";
import { bodyTimeout, mediaTypeOf, readBounded, rejectCompressedBody } from "./read_bounded.ts";
import { budgetHolders } from "./request_sender.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

const JSON_TYPE = "application/json";
/** A line of JSON for each item. */
export const LINES_TYPE = "application/x-ndjson";

/**
 * An empty body is `""`, whatever its type. Throws 415 for another type or a compressed body, 413
 * over 1 MiB, 400 if not UTF-8 or too slow, and 503 while too many bytes are being received.
 */
export async function readJsonText(
  req: Request,
  runtime: Runtime,
  { types = [JSON_TYPE] }: { types?: readonly string[] } = {},
): Promise<string> {
  const length = contentLength(req);
  if (req.body === null) return "";
  if (length > 0) requireType(req, types);
  const bytes = await readBytes(req.body, { req, runtime });
  // HTTP/2 and chunked bodies have no content-length.
  if (bytes.length > 0) requireType(req, types);
  try {
    return decoder.decode(bytes);
  } catch {
    throw validationError([{ path: "", code: "invalid_encoding", message: "is not UTF-8" }]);
  }
}

/** Reads and ignores the body of a request that needs none; throws 413 over 1 MiB. */
export async function discardBody(req: Request, runtime: Runtime): Promise<void> {
  contentLength(req);
  if (req.body !== null) await readBytes(req.body, { req, runtime });
}

/** As `readJsonText`, for a body that may also be lines of JSON. */
export async function readJsonOrLines(
  req: Request,
  runtime: Runtime,
): Promise<{ text: string; isLines: boolean }> {
  const text = await readJsonText(req, runtime, { types: [JSON_TYPE, LINES_TYPE] });
  return { text, isLines: mediaTypeOf(req) === LINES_TYPE };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = text === "" ? "a JSON body is required" : "is not valid JSON";
    throw validationError([{ path: "", code: "invalid_json", message }]);
  }
}

/** The declared length, 0 if there is none. Throws 413. */
function contentLength(req: Request): number {
  const length = Number(req.headers.get("content-length") ?? "0");
  if (length > FIELD_BOUNDS.bodyBytes) throw tooLarge();
  return length;
}

async function readBytes(
  body: ReadableStream<Uint8Array>,
  { req, runtime }: { req: Request; runtime: Runtime },
): Promise<Uint8Array> {
  const bytes = await readBounded(body, {
    limit: FIELD_BOUNDS.bodyBytes,
    runtime,
    memory: { budget: BODY_BUDGET, holders: budgetHolders(req) },
  });
  if (bytes === "too_large") throw tooLarge();
  if (bytes === "too_slow") throw bodyTimeout();
  await bodyArrived(req);
  return bytes;
}

function requireType(req: Request, types: readonly string[]): void {
  rejectCompressedBody(req);
  if (types.includes(mediaTypeOf(req) ?? "")) return;
  const message = `send the body as content-type ${types.join(" or ")}`;
  throw new ApiError("unsupported_media_type", message);
}

function tooLarge(): ApiError {
  return new ApiError("payload_too_large", "the body is larger than 1 MiB");
}
