import { KNOWLEDGE_BOUNDS } from "@/lib/schemas/limits.ts";

/** What the picker offers; the server looks at the content, whatever a file is called. */
export const ACCEPTED_FILE_TYPES =
  ".pdf,.html,.htm,.md,.markdown,.txt,.text,text/*,application/pdf";

const MIB = 1_048_576;

/**
 * Sends one file to a knowledge base and tells the share that has gone out, 0-1. Not `fetch`: it does
 * not tell. Throws with words for people.
 */
export function uploadFile(
  path: string,
  file: File,
  options: { progress: (share: number) => void; signal: AbortSignal },
): Promise<void> {
  if (file.size > KNOWLEDGE_BOUNDS.documentBytes) {
    const most = KNOWLEDGE_BOUNDS.documentBytes / MIB;
    return Promise.reject(new Error(`It is larger than ${most} MiB.`));
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
    request.onerror = () => failed(new Error("The service could not be reached."));
    options.signal.addEventListener("abort", () => request.abort());
    request.onabort = () => failed(new Error("It was not sent."));
    request.send(body);
  });
}

function rejectionMessage({ status, responseText, responseURL }: XMLHttpRequest): string {
  if (responseURL.includes("/sign-in")) return "You are signed out. Sign in in another tab.";
  try {
    const { message } = JSON.parse(responseText);
    if (typeof message === "string") return message;
  } catch { /* told below */ }
  return `The service answered with status ${status}.`;
}

/** A file on its way. */
export interface Upload {
  /** Unique on the page. */
  id: number;
  name: string;
  /** What of it has gone out, 0-1. */
  share: number;
  /** Why it did not arrive. */
  fault?: string;
}

let lastId = 0;

/** Sends files one after the other, since each is a core's work; what did not arrive is kept, to be told. */
export async function uploadFiles(
  files: readonly File[],
  { path, signal, told, sent }: {
    path: string;
    signal: AbortSignal;
    /** Gets how far they are, after each change. */
    told: (change: (before: Upload[]) => Upload[]) => void;
    /** Called after each that has arrived. */
    sent: () => Promise<void>;
  },
): Promise<void> {
  const waiting = files.map((file) => ({ file, id: ++lastId }));
  told((before) => [
    ...before.filter(({ fault }) => fault === undefined),
    ...waiting.map(({ file, id }) => ({ id, name: file.name, share: 0 })),
  ]);
  for (const { file, id } of waiting) {
    const change = (of: Partial<Upload>) =>
      told((before) => before.map((one) => one.id === id ? { ...one, ...of } : one));
    try {
      await uploadFile(path, file, { signal, progress: (share) => change({ share }) });
      await sent();
      told((before) => before.filter((one) => one.id !== id));
    } catch (error) {
      change({ fault: error instanceof Error ? error.message : "It was not sent." });
    }
  }
}
