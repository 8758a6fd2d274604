import { KNOWLEDGE_BOUNDS } from "@/lib/schemas/limits.ts";
import { msg, t } from "../texts/translate.ts";

/** Types offered by the file picker; the server checks the content, whatever the name. */
export const ACCEPTED_FILE_TYPES =
  ".pdf,.docx,.xlsx,.pptx,.odt,.epub,.csv,.tsv,.html,.htm,.md,.markdown,.txt,.text,text/*,application/pdf";

const MIB = 1_048_576;

/** Reports the share sent, 0-1, as `fetch` cannot. Throws errors with messages for the user. */
export function uploadFile(
  path: string,
  file: File,
  options: { progress: (share: number) => void; signal: AbortSignal },
): Promise<void> {
  if (file.size > KNOWLEDGE_BOUNDS.documentBytes) {
    const max = KNOWLEDGE_BOUNDS.documentBytes / MIB;
    return Promise.reject(new Error(t("The file is larger than {max} MiB.", { max })));
  }
  const body = new FormData();
  body.set("file", file);
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("accept", "application/json");
    request.upload.onprogress = ({ loaded, total }) => options.progress(loaded / total);
    request.onload = () => {
      if (request.status === 201) done();
      else failed(new Error(rejectionMessage(request)));
    };
    request.onerror = () => failed(new Error(t("Cannot reach the service. Try again.")));
    options.signal.addEventListener("abort", () => request.abort());
    request.onabort = () => failed(new Error(UPLOAD_FAILED));
    request.send(body);
  });
}

function rejectionMessage({ status, responseText, responseURL }: XMLHttpRequest): string {
  if (responseURL.includes("/sign-in")) {
    return t("You are signed out. Sign in again in another tab.");
  }
  try {
    const { message } = JSON.parse(responseText);
    if (typeof message === "string") return message;
  } catch { /* no JSON: report the status instead */ }
  return t("The service responded with status {status}.", { status });
}

const UPLOAD_FAILED = msg("The upload failed. Try again.");

export interface Upload {
  id: number;
  name: string;
  /** Share sent, 0-1. */
  share: number;
  error?: string;
}

let lastId = 0;

/** Uploads files one by one, because processing takes a CPU core each. Failed uploads stay listed. */
export async function uploadFiles(
  files: readonly File[],
  { path, signal, update, onUploaded }: {
    path: string;
    signal: AbortSignal;
    update: (change: (uploads: Upload[]) => Upload[]) => void;
    onUploaded: () => Promise<void>;
  },
): Promise<void> {
  const queue = files.map((file) => ({ file, id: ++lastId }));
  update((uploads) => [
    ...uploads.filter(({ error }) => error === undefined),
    ...queue.map(({ file, id }) => ({ id, name: file.name, share: 0 })),
  ]);
  for (const { file, id } of queue) {
    const change = (fields: Partial<Upload>) =>
      update((uploads) => uploads.map((one) => one.id === id ? { ...one, ...fields } : one));
    try {
      await uploadFile(path, file, { signal, progress: (share) => change({ share }) });
      await onUploaded();
      update((uploads) => uploads.filter((one) => one.id !== id));
    } catch (error) {
      change({ error: error instanceof Error ? error.message : UPLOAD_FAILED });
    }
  }
}
