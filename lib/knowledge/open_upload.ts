import { documentBodySchema } from "../wire/knowledge.ts";
import { KNOWLEDGE_BOUNDS } from "../wire/limits.ts";
import { detectType } from "./detect_type.ts";
import type { Upload, UploadFault } from "./worker_job.ts";

/** The document in a body, or what is wrong with the body. */
export type Opened = { upload: Upload } | { faults: UploadFault[] };

/**
 * The document in the body of a request, JSON or multipart. A body of 20 MiB takes longer to parse than
 * the event loop may stand still, so large ones are opened in a worker.
 */
export async function openUpload(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Opened> {
  if (contentType.trim().toLowerCase().startsWith("multipart/form-data")) {
    return await openForm(bytes, contentType);
  }
  return openJson(bytes);
}

function openJson(bytes: Uint8Array): Opened {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const message = bytes.length === 0 ? "a body is required" : "is not valid JSON in UTF-8";
    return faulty("", "invalid_json", message);
  }
  // The schema skips it: accepted and dropped would be worse than refused.
  if (Object.hasOwn(Object(value), "__proto__")) {
    return faulty("__proto__", "unrecognized_keys", "is not a known field");
  }
  const parsed = documentBodySchema.safeParse(value);
  if (!parsed.success) return { faults: parsed.error.issues.slice(0, 20).flatMap(toFaults) };
  const { title, content, mediaType } = parsed.data;
  const encoded = new TextEncoder().encode(content);
  return { upload: { title, bytes: encoded, mediaType: detectType(encoded, { mediaType }) } };
}

async function openForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Opened> {
  const headers = { "content-type": contentType };
  let form: FormData;
  try {
    form = await new Response(bytes, { headers }).formData();
  } catch {
    return faulty("", "invalid_form", "is not valid multipart/form-data");
  }
  for (const name of form.keys()) {
    if (name !== "file" && name !== "title") {
      return faulty(name, "unrecognized_keys", "is not a known field");
    }
  }
  const [file, ...more] = form.getAll("file");
  if (!(file instanceof File)) return faulty("file", "required", "a file is required");
  if (more.length > 0) return faulty("file", "too_many", "one file a request");
  return await openFile(file, form.get("title"));
}

async function openFile(file: File, given: FormDataEntryValue | null): Promise<Opened> {
  const title = titleOf(typeof given === "string" ? given : "") ?? titleOf(file.name) ?? "Untitled";
  const bytes = await file.bytes();
  if (bytes.length === 0) return faulty("file", "too_small", "is empty");
  const mediaType = detectType(bytes, { mediaType: file.type, fileName: file.name });
  return { upload: { title, bytes, mediaType } };
}

/** Names of files hold anything: a title is one line of whole characters. */
function titleOf(text: string): string | undefined {
  // deno-lint-ignore no-control-regex
  const line = text.toWellFormed().replace(/[\0-\x1f\x7f\s]+/g, " ").trim();
  return Array.from(line).slice(0, KNOWLEDGE_BOUNDS.titleLength / 2).join("") || undefined;
}

function toFaults(
  issue: { code?: string; message: string; path: PropertyKey[]; keys?: string[] },
): UploadFault[] {
  const code = issue.code ?? "custom";
  const path = issue.path.map(String).join(".");
  if (issue.keys === undefined) return [{ path, code, message: issue.message }];
  return issue.keys.slice(0, 20).map((key) => ({
    path: key,
    code,
    message: "is not a known field",
  }));
}

function faulty(path: string, code: string, message: string): Opened {
  return { faults: [{ path, code, message }] };
}
