import type { Runtime } from "../../platform/runtime.ts";
import type { MessageAttachment } from "../../schemas/attachment.ts";
import { ATTACHMENT_BOUNDS } from "../../schemas/limits.ts";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import type { StorageUsage } from "../tenants/storage_usage.ts";
import type { Transaction } from "../tx/operation.ts";
import { type Chunk, concatBytes, splitChunks, writeChunks } from "../values/chunks.ts";
import {
  type CommitStep,
  commitStep,
  CorruptRecordError,
  parseRecord,
  retryUntilCommitted,
} from "../values/record.ts";
import { eraseAttachment, lastUse } from "./attachment_eraser.ts";
import {
  type AttachmentOwner,
  type AttachmentRecord,
  attachmentRecordSchema,
  type NewAttachment,
  storedBytes,
  toMessageAttachment,
} from "./attachment_record.ts";
import { attachmentStorageUsage } from "./attachment_usage.ts";
import { SessionUploads } from "./session_uploads.ts";

/** A message that uses an attachment has this long to be admitted. */
const CLAIM_MS = 20 * 60_000;

type Stored = { record: AttachmentRecord };

/** Whose attachment it is, for which agent. */
interface NewAttachmentOwner {
  tenant: string;
  agentId: string;
  owner: AttachmentOwner;
  /** An entry that must exist when the attachment is stored, such as that of the uploader's session. */
  credential?: Deno.KvKey | undefined;
}

/** The credential of an upload was deleted while the file was stored. */
export class CredentialGoneError extends Error {
  override name = "CredentialGoneError";
}

export interface AttachmentStoreDeps {
  runtime: Pick<Runtime, "now" | "uuid">;
  content: ContentCipher;
}

/** Attachments of all tenants: every method takes the tenant first and sees only its attachments. */
export class AttachmentStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: AttachmentStoreDeps["runtime"];
  readonly #content: ContentCipher;
  readonly #usage: StorageUsage<"attachmentBytes">;

  constructor(kv: Deno.Kv, { runtime, content }: AttachmentStoreDeps) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#content = content;
    this.#usage = attachmentStorageUsage(kv);
  }

  /** Throws if the owner or the tenant may not store `bytes` more; `create` checks it again. */
  async checkCapacity(tenant: string, owner: AttachmentOwner, bytes: number): Promise<void> {
    (await this.#usage.read(tenant)).add("attachmentBytes", bytes);
    if (owner.kind === "key") return;
    (await SessionUploads.read(this.#kv, { tenant, sessionId: owner.id })).check(bytes);
  }

  /**
   * Stores an attachment, which expires unless a message uses it. Throws `ApiError` 403 beyond the plan's
   * quota, `SessionUploadsExceededError` and `CredentialGoneError`. The file takes several steps: the attachment exists after
   * the last one, and what a crash leaves behind is deleted when it would have expired.
   */
  async create(
    { tenant, agentId, owner, credential }: NewAttachmentOwner,
    file: NewAttachment,
    options: { commit?: CommitStep<AttachmentRecord> | undefined } = {},
  ): Promise<AttachmentRecord> {
    const id = this.#runtime.uuid();
    const now = this.#runtime.now();
    const due = now + ATTACHMENT_BOUNDS.unusedMs;
    const key = keys.attachmentDue(due, tenant, id);
    const { versionstamp } = await this.#kv.set(key, { v: 1 });
    const guard = { key, versionstamp };
    let stored: Stored | undefined;
    try {
      const chunks = await this.#writeFile({ tenant, id, guard }, file);
      const { kind, mediaType, size, text } = file;
      const record: AttachmentRecord = {
        ...{ v: 1, id, agentId, owner, kind, mediaType, bytes: file.bytes.length },
        parts: chunks.file,
        ...size && { size },
        ...text && { text: { bytes: text.bytes.length, parts: chunks.text, cut: text.cut } },
        name: this.#sealName({ tenant, id }, file.name),
        ...{ createdAt: now, exp: due, due },
      };
      const { commit } = options;
      stored = await this.#commit(record, { tenant, guard, credential, commit });
      return stored.record;
    } finally {
      if (stored === undefined) {
        await eraseAttachment(this.#kv, { tenant, id });
        await this.#kv.delete(key);
      }
    }
  }

  /** The attachment; `undefined` if it is unknown or has expired. */
  async find(tenant: string, id: string): Promise<AttachmentRecord | undefined> {
    const entry = await this.#kv.get(keys.attachment(tenant, id));
    const record = parseRecord(attachmentRecordSchema, entry);
    if (record === undefined || record.exp > this.#runtime.now()) return record;
    const isUsed = await lastUse(this.#kv, { tenant, id }) > this.#runtime.now();
    return isUsed ? record : undefined;
  }

  /** True if a message of the conversation has used the attachment. */
  async isUsedIn(conversation: ConversationName, id: string): Promise<boolean> {
    return (await this.#kv.get(keys.attachmentUse(conversation, id))).versionstamp !== null;
  }

  /**
   * Finds an attachment for a message that is about to use it: no sweep deletes it before that is stored.
   * A commit of the store takes seconds, so minutes are enough, whatever the clocks of other processes.
   * One that the sender `mayUse` not is neither found nor kept for longer.
   */
  async claim(
    tenant: string,
    { id, mayUse }: { id: string; mayUse: (record: AttachmentRecord) => Promise<boolean> },
  ): Promise<AttachmentRecord | undefined> {
    return await retryUntilCommitted(async () => {
      const record = await this.find(tenant, id);
      const now = this.#runtime.now();
      if (record === undefined || !await mayUse(record)) return { record: undefined };
      if (record.exp > now + CLAIM_MS / 2) return { record };
      const entry = await this.#kv.get(keys.attachment(tenant, id));
      const current = parseRecord(attachmentRecordSchema, entry);
      if (current === undefined) return { record: undefined };
      const claimed = { ...current, exp: now + CLAIM_MS };
      const { ok } = await this.#kv.atomic().check(entry).set(entry.key, claimed).commit();
      return ok ? { record: claimed } : undefined;
    }, { what: "attachment" }).then(({ record }) => record);
  }

  /** Adds to a commit that the conversation uses a claimed attachment until `exp`. */
  static use(
    tx: Pick<Transaction, "blindWrite">,
    id: string,
    { conversation, runId, exp, now }: {
      conversation: ConversationName;
      runId: string;
      exp: number;
      now: number;
    },
  ): void {
    const options = { expireIn: Math.max(1, exp - now) };
    for (const keyOf of [keys.attachmentUse, keys.conversationAttachment]) {
      tx.blindWrite(keyOf(conversation, id), { v: 1, exp, runId }, options);
    }
  }

  /** What a conversation shows of it. */
  describe(tenant: string, record: AttachmentRecord): Promise<MessageAttachment> {
    return toMessageAttachment(record, { tenant, content: this.#content });
  }

  /** The text of a document; blank for an image. */
  async readText(tenant: string, { id, text }: AttachmentRecord): Promise<string> {
    const parts: Uint8Array[] = [];
    for (let n = 0; n < (text?.parts ?? 0); n++) {
      const key = keys.attachmentTextChunk(tenant, id, n);
      const context = contentContexts.attachmentTextChunk(tenant, id, n);
      parts.push(await this.#unsealChunk(key, context));
    }
    return new TextDecoder().decode(concatBytes(parts));
  }

  /** The file, one chunk at a time. Throws if the attachment is deleted meanwhile. */
  async *readFile(
    tenant: string,
    { id, parts }: Pick<AttachmentRecord, "id" | "parts">,
  ): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < parts; n++) {
      const key = keys.attachmentChunk(tenant, id, n);
      yield await this.#unsealChunk(key, contentContexts.attachmentChunk(tenant, id, n));
    }
  }

  async #unsealChunk(key: Deno.KvKey, context: readonly (string | number)[]): Promise<Uint8Array> {
    const { value } = await this.#kv.get<Uint8Array>(key);
    if (!(value instanceof Uint8Array)) {
      throw new CorruptRecordError("an attachment has lost a part");
    }
    return await this.#content.unseal(value, context);
  }

  #sealName({ tenant, id }: { tenant: string; id: string }, name: string): Uint8Array {
    const context = contentContexts.attachmentName(tenant, id);
    return this.#content.sealSync(new TextEncoder().encode(name), context);
  }

  /** Stores file and text; returns how many chunks each has. */
  async #writeFile(
    { tenant, id, guard }: {
      tenant: string;
      id: string;
      guard: Parameters<typeof writeChunks>[2]["guard"];
    },
    { bytes, text }: NewAttachment,
  ): Promise<{ file: number; text: number }> {
    const chunks = splitChunks(bytes);
    const texts = text === undefined ? [] : splitChunks(text.bytes);
    const content = this.#content;
    const seal = (plain: readonly Chunk[], contextOf: (n: number) => Deno.KvKey) =>
      Promise.all(plain.map((one, n) => content.seal(one, contextOf(n) as (string | number)[])));
    const ofChunk = (n: number) => keys.attachmentChunk(tenant, id, n);
    const ofText = (n: number) => keys.attachmentTextChunk(tenant, id, n);
    const written = await writeChunks(this.#kv, await seal(chunks, ofChunk), {
      guard,
      keyOf: ofChunk,
    }) && await writeChunks(this.#kv, await seal(texts, ofText), { guard, keyOf: ofText });
    if (!written) throw new Error("an attachment was deleted while it was stored");
    return { file: chunks.length, text: texts.length };
  }

  #commit(
    record: AttachmentRecord,
    { tenant, guard, credential, commit = commitStep }: {
      tenant: string;
      guard: Deno.AtomicCheck;
      credential: Deno.KvKey | undefined;
      commit?: CommitStep<AttachmentRecord> | undefined;
    },
  ): Promise<Stored> {
    const { id, owner } = record;
    return this.#usage.change(tenant, async (usage) => {
      usage.add("attachmentBytes", storedBytes(record));
      const key = keys.attachment(tenant, id);
      const step = this.#kv.atomic().check(guard, { key, versionstamp: null }).set(key, record);
      usage.writeTo(step);
      if (credential !== undefined) step.check(await this.#require(credential));
      if (owner.kind === "session") {
        const uploads = await SessionUploads.read(this.#kv, { tenant, sessionId: owner.id });
        uploads.addTo(step, record.bytes);
      }
      return await commit(step, record) ? { record } : undefined;
    });
  }

  /** An erasure of the visitor deletes the session first: nothing is stored after that. */
  async #require(credential: Deno.KvKey): Promise<Deno.AtomicCheck> {
    const { key, versionstamp } = await this.#kv.get(credential);
    if (versionstamp === null) throw new CredentialGoneError("the uploader's session has ended");
    return { key, versionstamp };
  }
}
