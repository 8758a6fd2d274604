import { toIssues } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { plainTitle } from "../../schemas/document_title.ts";
import { documentBodySchema } from "../../schemas/knowledge.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import type { MediaType } from "../../schemas/media_types.ts";
import { detectMediaType } from "./detect_media_type.ts";

const MAX_ISSUES = 20;

export type Upload = { title: string; mediaType: MediaType; bytes: Uint8Array<ArrayBuffer> };

/** At least one document, or what is invalid in the body. */
export type ParsedUpload = { uploads: Upload[] } | { issues: ValidationIssue[] };

export type UploadFormat = { contentType: string; several: boolean };

/**
 * Parses the body of a request, JSON or multipart. A body of 20 MiB blocks the event loop for too long,
 * so parse large ones in a worker.
 */
export async function parseUpload(
  bytes: Uint8Array<ArrayBuffer>,
  format: UploadFormat,
): Promise<ParsedUpload> {
  const isForm = format.contentType.trim().toLowerCase().startsWith("multipart/form-data");
  return isForm ? await parseFormUpload(bytes, format) : parseJsonUpload(bytes);
}

function parseJsonUpload(bytes: Uint8Array): ParsedUpload {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const message = bytes.length === 0 ? "a body is required" : "is not valid JSON in UTF-8";
    return invalid("", "invalid_json", message);
  }
  // The schema would ignore this key instead of rejecting it.
  if (Object.hasOwn(Object(value), "__proto__")) return unknownField("__proto__");
  const parsed = documentBodySchema.safeParse(value);
  if (!parsed.success) return { issues: toIssues(parsed.error).slice(0, MAX_ISSUES) };
  const { title, content, mediaType } = parsed.data;
  const encoded = new TextEncoder().encode(content);
  const detected = detectMediaType(encoded, { mediaType });
  return { uploads: [{ title, bytes: encoded, mediaType: detected }] };
}

async function parseFormUpload(
  bytes: Uint8Array<ArrayBuffer>,
  { contentType, several }: UploadFormat,
): Promise<ParsedUpload> {
  const headers = { "content-type": contentType };
  let form: FormData;
  try {
    form = await new Response(bytes, { headers }).formData();
  } catch {
    return invalid("", "invalid_form", "is not valid multipart/form-data");
  }
  for (const name of form.keys()) {
    if (name !== "file" && name !== "title") return unknownField(name);
  }
  const title = toTitle(form.get("title"));
  if (title.length > KNOWLEDGE_BOUNDS.titleLength) {
    const message = `must be at most ${KNOWLEDGE_BOUNDS.titleLength} characters`;
    return invalid("title", "too_big", message);
  }
  const files = form.getAll("file");
  if (files.length > 1 && !several) return invalid("file", "too_many", "one file a request");
  if (files.length > KNOWLEDGE_BOUNDS.documentsPerBase) {
    const max = KNOWLEDGE_BOUNDS.documentsPerBase.toLocaleString("en");
    return invalid("file", "too_many", `at most ${max} files`);
  }
  if (files.length === 0 || !files.every((one) => one instanceof File)) {
    return invalid("file", "required", "a file is required");
  }
  const uploads = await Promise.all(files.map((file) => readFile(file, title)));
  const empty = uploads.find((upload) => upload.bytes.length === 0);
  if (empty === undefined) return { uploads };
  return invalid("file", "too_small", several ? `“${empty.title}” is empty` : "is empty");
}

async function readFile(file: File, givenTitle: string): Promise<Upload> {
  const title = givenTitle || titleFromFileName(file.name) || "Untitled";
  const bytes = await file.bytes();
  const mediaType = detectMediaType(bytes, { mediaType: file.type, fileName: file.name });
  return { title, bytes, mediaType };
}

/** A long name is truncated instead of rejected, because the sender did not choose it as a title. */
function titleFromFileName(name: string): string {
  return Array.from(toTitle(name)).slice(0, KNOWLEDGE_BOUNDS.titleLength / 2).join("");
}

function toTitle(text: FormDataEntryValue | null): string {
  return typeof text === "string" ? plainTitle(text) : "";
}

function unknownField(name: string): ParsedUpload {
  return invalid(name, "unrecognized_keys", "is not a known field");
}

function invalid(path: string, code: string, message: string): ParsedUpload {
  return { issues: [{ path, code, message }] };
}
