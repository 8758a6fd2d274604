import type { Upload } from "../knowledge/worker_job.ts";

/** What tells uploads apart under one `Idempotency-Key`: all of it, the content as its SHA-256. */
export async function uploadIdentity({ title, mediaType, bytes }: Upload) {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return { title, mediaType, sha256: new Uint8Array(digest).toHex() };
}
