import { readAttachment, type UploadedFile } from "../attachments/read_attachment.ts";
import type { WorkerPool } from "../knowledge/ingest/worker/worker_pool.ts";
import { isoTime, type Runtime } from "../platform/runtime.ts";
import { LimitError } from "../billing/limit_error.ts";
import type { Agent } from "../schemas/agent.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import { rejectSessionToken } from "../schemas/reject_credentials.ts";
import type { Attachment, AttachmentKind, MessageAttachment } from "../schemas/attachment.ts";
import { ATTACHMENT_BOUNDS } from "../schemas/limits.ts";
import {
  type AttachmentOwner,
  type AttachmentRecord,
  isOwner,
} from "../store/attachments/attachment_record.ts";
import {
  type AttachmentStore,
  CredentialGoneError,
} from "../store/attachments/attachment_store.ts";
import { SessionUploadsExceededError } from "../store/attachments/session_uploads.ts";
import type { CommitStep } from "../store/values/record.ts";

export interface AttachmentServiceDeps {
  store: AttachmentStore;
  workers: Pick<WorkerPool, "run">;
  runtime: Pick<Runtime, "now">;
}

/** Who uploads a file, for which agent. */
export interface Uploader {
  tenant: string;
  agent: Agent;
  owner: AttachmentOwner;
  /** When the credential expires, milliseconds; absent for API keys. */
  until?: number | undefined;
  /** The key of the session, which must still exist when the file is stored. */
  credential?: Deno.KvKey | undefined;
}

/** Who reads a file: an API key, or a session with its agent. */
export interface AttachmentReader {
  agentId: string | undefined;
  /** The agents that the API key is restricted to. */
  agents?: readonly string[] | undefined;
  owner: AttachmentOwner;
}

export interface OpenedAttachment extends MessageAttachment {
  /** The file. */
  content: AsyncGenerator<Uint8Array>;
}

/** Files that are attached to messages. Methods throw `ApiError`. */
export class AttachmentService {
  readonly #deps: AttachmentServiceDeps;

  constructor(deps: AttachmentServiceDeps) {
    this.#deps = deps;
  }

  /** Throws 400, 403 or 429 for an upload that is rejected whatever the file is. */
  async checkUploader(uploader: Uploader): Promise<void> {
    const { tenant, agent, owner } = uploader;
    if (allowedKinds(agent).length === 0) {
      const message = "this agent takes no attachments";
      throw validationError([{ path: "file", code: "attachment_not_allowed", message }]);
    }
    await this.#limited(uploader, () => this.#deps.store.checkCapacity(tenant, owner, 0));
  }

  /** Checks, rewrites and stores a file. */
  async upload(
    uploader: Uploader,
    file: UploadedFile,
    { commit }: { commit?: CommitStep<Attachment> | undefined } = {},
  ): Promise<Attachment> {
    const { store, workers } = this.#deps;
    const { tenant, agent, owner, credential } = uploader;
    const kinds = allowedKinds(agent);
    const read = await readAttachment(file, { tenant, workers, kinds });
    const commitRecord: CommitStep<AttachmentRecord> | undefined = commit &&
      ((step, record) => commit(step, toAttachment(record, read.name)));
    const record = await this.#limited(uploader, () => {
      const of = { tenant, agentId: agent.id, owner, credential };
      return store.create(of, read, { commit: commitRecord });
    });
    return toAttachment(record, read.name);
  }

  /** The file of the reader, or any of the tenant without one; else 404. */
  async open(tenant: string, id: string, reader?: AttachmentReader): Promise<OpenedAttachment> {
    const { store } = this.#deps;
    const record = await store.find(tenant, id);
    if (record === undefined) notFound();
    if (reader !== undefined && !isOwner(record, reader)) notFound();
    if (reader?.agents?.includes(record.agentId) === false) notFound();
    const described = await store.describe(tenant, record);
    return { ...described, content: store.readFile(tenant, record) };
  }

  async #limited<T>({ until }: Uploader, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CredentialGoneError) rejectSessionToken();
      if (!(error instanceof SessionUploadsExceededError)) throw error;
      const { sessionFiles, sessionBytes } = ATTACHMENT_BOUNDS;
      const retryAfterMs = Math.max(0, (until ?? 0) - this.#deps.runtime.now());
      throw error.limit === "files"
        ? new LimitError({ scope: "session_uploads", limit: sessionFiles, retryAfterMs })
        : new LimitError({ scope: "session_upload_bytes", limit: sessionBytes, retryAfterMs });
    }
  }
}

/** The kinds of files that an agent takes. */
export function allowedKinds({ attachments }: Pick<Agent, "attachments">): AttachmentKind[] {
  return [
    ...attachments?.images ? ["image" as const] : [],
    ...attachments?.documents ? ["document" as const] : [],
  ];
}

function toAttachment(
  { id, kind, mediaType, bytes, exp }: AttachmentRecord,
  name: string,
): Attachment {
  return { id, kind, mediaType, bytes, name, expiresAt: isoTime(exp) };
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such attachment");
}
