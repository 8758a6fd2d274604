import { assertEquals } from "@std/assert";
import type { Attachment } from "@/lib/schemas/attachment.ts";
import type { TestService } from "./service.ts";
import { ORIGIN } from "./widget_calls.ts";

/** A file as a browser uploads it. */
export interface SentFile {
  bytes: Uint8Array<ArrayBuffer> | string;
  name?: string;
  /** What the browser claims. */
  type?: string;
}

/** The credential: an API key with the agent of the file, or a session of the page. */
export type UploadCredential = { key: string; agentId: string } | { sessionToken: string };

export function uploadHeaders(credential: UploadCredential): Record<string, string> {
  return "key" in credential
    ? { authorization: `Bearer ${credential.key}` }
    : { "x-service-session": credential.sessionToken, origin: ORIGIN };
}

/** `POST /v1/chat/attachments`. */
export function sendFile(
  service: TestService,
  credential: UploadCredential,
  { bytes, name = "file", type = "application/octet-stream" }: SentFile,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new FormData();
  body.set("file", new File([bytes], name, { type }));
  const query = "key" in credential ? `?agentId=${credential.agentId}` : "";
  return service.fetch(`/v1/chat/attachments${query}`, {
    method: "POST",
    body,
    headers: { ...uploadHeaders(credential), ...headers },
  });
}

/** Uploads a file that is accepted. */
export async function upload(
  service: TestService,
  credential: UploadCredential,
  file: SentFile,
): Promise<Attachment> {
  const response = await sendFile(service, credential, file);
  const text = await response.text();
  assertEquals(response.status, 201, text);
  return JSON.parse(text);
}

/** `GET /v1/chat/attachments/:id`. */
export function download(
  service: TestService,
  credential: UploadCredential,
  id: string,
): Promise<Response> {
  return service.fetch(`/v1/chat/attachments/${id}`, { headers: uploadHeaders(credential) });
}
