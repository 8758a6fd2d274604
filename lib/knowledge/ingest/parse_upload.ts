import { toIssues } from "../../schemas/api_error.ts";
import { documentBodySchema } from "../../schemas/knowledge.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { detectMediaType } from "./detect_media_type.ts";
import type { Upload, UploadIssue } from "./worker/job_messages.ts";

const MAX_ISSUES = 20;

/** The documents in a body, at least one, or what is wrong with the body. */
export type ParsedUpload = { uploads: Upload[] } | { faults: UploadIssue[] };

/** What is to be opened, and as what it was sent. */
export interface UploadFormat {
  contentType: string;
  /** Whether a form may hold several files. */
  several: boolean;
}

/**
 * The documents in the body of a request, JSON or multipart. A body of 20 MiB takes longer to parse
 * than the event loop may stand still, so large ones are opened in a worker.
 */
export async function parseUpload(
  bytes: Uint8Array<ArrayBuffer>,
  sent: UploadFormat,
): Promise<ParsedUpload> {
  if (sent.contentType.trim().toLowerCase().startsWith("multipart/form-data")) {
    return await parseFormUpload(bytes, sent);
  }
  return parseJsonUpload(bytes);
}

function parseJsonUpload(bytes: Uint8Array): ParsedUpload {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const message = bytes.length === 0 ? "a body is required" : "is not valid JSON in UTF-8";
    return invalid("", "invalid_json", message);
  }
  // The schema skips it: accepted and dropped would be worse than refused.
  if (Object.hasOwn(Object(value), "__proto__")) {
    return invalid("__proto__", "unrecognized_keys", "is not a known field");
  }
  const parsed = documentBodySchema.safeParse(value);
  if (!parsed.success) return { faults: toIssues(parsed.error).slice(0, MAX_ISSUES) };
  const { title, content, mediaType } = parsed.data;
  const encoded = new TextEncoder().encode(content);
  return {
    uploads: [{ title, bytes: encoded, mediaType: detectMediaType(encoded, { mediaType }) }],
  };
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
    if (name !== "file" && name !== "title") {
      return invalid(name, "unrecognized_keys", "is not a known field");
    }
  }
  const title = form.get("title");
  if (typeof title === "string" && toLine(title).length > KNOWLEDGE_BOUNDS.titleLength) {
    const message = `must be at most ${KNOWLEDGE_BOUNDS.titleLength} characters`;
    return invalid("title", "too_big", message);
  }
  const files = form.getAll("file");
  if (files.length > 1 && !several) return invalid("file", "too_many", "one file a request");
  if (files.length > KNOWLEDGE_BOUNDS.documentsPerBase) {
    const most = KNOWLEDGE_BOUNDS.documentsPerBase.toLocaleString("en");
    return invalid("file", "too_many", `at most ${most} files`);
  }
  if (files.length === 0 || !files.every((one) => one instanceof File)) {
    return invalid("file", "required", "a file is required");
  }
  const uploads = await Promise.all(files.map((file) => readFile(file, title)));
  const empty = uploads.findIndex((upload) => upload.bytes.length === 0);
  if (empty < 0) return { uploads };
  const message = several ? `“${uploads[empty]!.title}” is empty` : "is empty";
  return invalid("file", "too_small", message);
}

async function readFile(file: File, given: FormDataEntryValue | null): Promise<Upload> {
  const wanted = typeof given === "string" ? toLine(given) : "";
  const title = wanted || titleFromFileName(file.name) || "Untitled";
  const bytes = await file.bytes();
  return {
    title,
    bytes,
    mediaType: detectMediaType(bytes, { mediaType: file.type, fileName: file.name }),
  };
}

/** Nobody chose the name of a file as a title, so a long one is cut instead of refused. */
function titleFromFileName(name: string): string {
  return Array.from(toLine(name)).slice(0, KNOWLEDGE_BOUNDS.titleLength / 2).join("");
}

/** Names of files hold anything: a title is one line of whole characters. */
function toLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.toWellFormed().replace(/[\0-\x1f\x7f\s]+/g, " ").trim();
}

function invalid(path: string, code: string, message: string): ParsedUpload {
  return { faults: [{ path, code, message }] };
}
