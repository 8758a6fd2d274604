import { ApiError, validationError } from "../../schemas/api_error.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { FIELD_BOUNDS } from "../../schemas/limits.ts";
import { BODY_BUDGET } from "./byte_budget.ts";
import { readBounded } from "./read_bounded.ts";
import { budgetHolders } from "./request_sender.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a JSON body: 415 for another content type or a compressed one, 413 past 1 MiB, 400 for
 * what is not UTF-8 or comes too slowly, 503 while too much is being sent. An empty body is `""`,
 * whatever its type.
 */
export async function readJsonText(req: Request, runtime: Runtime): Promise<string> {
  const length = contentLength(req);
  if (req.body === null) return "";
  if (length > 0) requireJsonType(req);
  const bytes = await readBytes(req.body, { req, runtime });
  // HTTP/2 and chunked bodies tell no length beforehand.
  if (bytes.length > 0) requireJsonType(req);
  return decode(bytes);
}

/**
 * For a request that says everything in its address: what its body holds is not looked at, but one past
 * 1 MiB is 413 as everywhere.
 */
export async function discardBody(req: Request, runtime: Runtime): Promise<void> {
  contentLength(req);
  if (req.body !== null) await readBytes(req.body, { req, runtime });
}

/** What the body says of its length; throws 413 when that is past 1 MiB. */
function contentLength(req: Request): number {
  const length = Number(req.headers.get("content-length") ?? "0");
  if (length > FIELD_BOUNDS.bodyBytes) tooLarge();
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
  if (bytes === "too_large") tooLarge();
  if (bytes === "too_slow") tooSlow();
  return bytes;
}

function requireJsonType(req: Request): void {
  const type = req.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const coding = req.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") {
    // Nothing here unpacks it, and a small body that unpacks to a huge one is not to be let in.
    throw new ApiError("unsupported_media_type", "send the body without content-encoding");
  }
  if (type === "application/json") return;
  throw new ApiError("unsupported_media_type", "send the body as content-type application/json");
}

/** The value of a body's JSON text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = text === "" ? "a JSON body is required" : "is not valid JSON";
    throw validationError([{ path: "", code: "invalid_json", message }]);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw validationError([{ path: "", code: "invalid_encoding", message: "is not UTF-8" }]);
  }
}

function tooLarge(): never {
  throw new ApiError("payload_too_large", "the body is larger than 1 MiB");
}

function tooSlow(): never {
  throw validationError([{
    path: "",
    code: "body_timeout",
    message: "the body arrived too slowly: send at least 4 KiB per second",
  }]);
}
