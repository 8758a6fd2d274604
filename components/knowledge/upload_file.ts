import { KNOWLEDGE_BOUNDS } from "@/lib/wire/limits.ts";

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
