import { z } from "zod";
import { ATTACHMENT_BOUNDS } from "../../schemas/limits.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

const uploadsSchema = z.object({
  v: z.literal(1),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});

/** Longer than any session can upload. */
const TTL_MS = 60 * 60_000;

/** Which of a session's limits an upload would exceed. */
export type SessionUploadLimit = "files" | "bytes";

export class SessionUploadsExceededError extends Error {
  override name = "SessionUploadsExceededError";
  readonly limit: SessionUploadLimit;

  constructor(limit: SessionUploadLimit) {
    super(`too many ${limit} in one session`);
    this.limit = limit;
  }
}

/** What a session has uploaded, as seen by one write. */
export class SessionUploads {
  readonly #entry: Deno.KvEntryMaybe<unknown>;
  readonly #files: number;
  readonly #bytes: number;

  private constructor(entry: Deno.KvEntryMaybe<unknown>) {
    const { files, bytes } = parseRecord(uploadsSchema, entry) ?? { files: 0, bytes: 0 };
    this.#entry = entry;
    this.#files = files;
    this.#bytes = bytes;
  }

  static async read(
    kv: Deno.Kv,
    { tenant, sessionId }: { tenant: string; sessionId: string },
  ): Promise<SessionUploads> {
    return new SessionUploads(await kv.get(keys.sessionUploads(tenant, sessionId)));
  }

  /** Throws `SessionUploadsExceededError` if one more file of `bytes` is too much. */
  check(bytes: number): void {
    const { sessionFiles, sessionBytes } = ATTACHMENT_BOUNDS;
    if (this.#files + 1 > sessionFiles) throw new SessionUploadsExceededError("files");
    if (this.#bytes + bytes > sessionBytes) throw new SessionUploadsExceededError("bytes");
  }

  /** Counts one more file in `step`, which then fails if another upload was counted in between. */
  addTo(step: Deno.AtomicOperation, bytes: number): void {
    this.check(bytes);
    const value = { v: 1, files: this.#files + 1, bytes: this.#bytes + bytes };
    step.check(this.#entry).set(this.#entry.key, value, { expireIn: TTL_MS });
  }
}
