import { ApiError, invalid } from "../errors.ts";
import type { System } from "../system.ts";
import { FIELD_BOUNDS } from "../wire/limits.ts";

/** The server has no limit of its own on how slowly a body may arrive. */
const BODY_MS = 10_000;

/**
 * The text of a JSON body: 415 for another content type or a compressed one, 413 past 1 MiB, 400 for what is not UTF-8 or
 * comes too slowly. An empty body is `""`, whatever its type.
 */
export async function readJsonText(req: Request, system: System): Promise<string> {
  const length = Number(req.headers.get("content-length") ?? "0");
  if (length > FIELD_BOUNDS.bodyBytes) tooLarge();
  if (req.body === null) return "";
  if (length > 0) requireJsonType(req);
  const bytes = await readBounded(req.body, system);
  // HTTP/2 and chunked bodies tell no length beforehand.
  if (bytes.length > 0) requireJsonType(req);
  return decode(bytes);
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
    throw invalid([{ path: "", code: "invalid_json", message }]);
  }
}

async function readBounded(body: ReadableStream<Uint8Array>, system: System): Promise<Uint8Array> {
  const reader = body.getReader();
  const timer = new AbortController();
  const late = system.sleep(BODY_MS, timer.signal).then(
    () => "late" as const,
    () => "late" as const,
  );
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const next = await Promise.race([reader.read(), late]);
      if (next === "late") throw slow();
      if (next.done) return concat(chunks, size);
      size += next.value.length;
      if (size > FIELD_BOUNDS.bodyBytes) tooLarge();
      chunks.push(next.value);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  } finally {
    timer.abort();
  }
}

function concat(chunks: Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid([{ path: "", code: "invalid_encoding", message: "is not UTF-8" }]);
  }
}

function tooLarge(): never {
  throw new ApiError("payload_too_large", "the body is larger than 1 MiB");
}

function slow(): ApiError {
  return invalid([{ path: "", code: "body_timeout", message: "did not arrive within 10 s" }]);
}
