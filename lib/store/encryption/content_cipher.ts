import { z } from "zod";
import { KeyedHash } from "../../platform/crypto/keyed_hash.ts";
import { XCHACHA20_POLY1305 } from "../../platform/crypto/ciphers.ts";
import { type SealContext, Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { CorruptRecordError, parseRecord, retryUntilCommitted } from "../values/record.ts";

const DIGEST_KEY_BYTES = 32;
const SHORT_DIGEST_LENGTH = 11;
const DIGEST_KEY_CONTEXT = ["installation", "content_digest_key"];
/** Unencrypted content is JSON, split anywhere, without a byte below this; a seal's version is. */
const MIN_JSON_BYTE = 9;

const digestKeySchema = z.object({ v: z.literal(1), sealed: z.instanceof(Uint8Array) });

/** Stored content cannot be decrypted: its key is missing, or it was changed. */
export class UnreadableContentError extends CorruptRecordError {
  override name = "UnreadableContentError";
}

export interface ContentCipherOptions {
  sealer: Sealer;
  /** 32 random bytes. */
  digestKey: Uint8Array;
  /** Called with each value that cannot be decrypted; `place` holds ids, never content. */
  onUnreadable?: (unreadable: { place: string; reason: string }) => void;
}

/**
 * Encrypts content: messages, answers, tools' arguments and results. Every value is bound to its context
 * (tenant, run, number), so that one cannot replace another. Unencrypted content of early releases is
 * returned unchanged.
 */
export class ContentCipher {
  readonly #sealer: Sealer;
  readonly #digests: KeyedHash;
  readonly #onUnreadable: NonNullable<ContentCipherOptions["onUnreadable"]>;

  constructor({ sealer, digestKey, onUnreadable = () => {} }: ContentCipherOptions) {
    this.#sealer = sealer;
    this.#digests = new KeyedHash(digestKey);
    this.#onUnreadable = onUnreadable;
  }

  /** The stored form of `bytes`; an empty value stays empty. */
  sealSync(bytes: Uint8Array, context: SealContext): Uint8Array<ArrayBuffer> {
    return bytes.length === 0 ? new Uint8Array() : this.#sealer.sealSync(bytes, context);
  }

  /** Like `sealSync`, for any size. */
  async seal(
    bytes: Uint8Array<ArrayBuffer>,
    context: SealContext,
  ): Promise<Uint8Array<ArrayBuffer>> {
    return bytes.length === 0 ? bytes : await this.#sealer.seal(bytes, context);
  }

  /** Throws `UnreadableContentError`. */
  async unseal(stored: Uint8Array, context: SealContext): Promise<Uint8Array> {
    if (!isSealed(stored)) return stored;
    try {
      return await this.#sealer.unseal(stored, context);
    } catch (error) {
      throw this.#toUnreadableError(error, context);
    }
  }

  /**
   * A keyed digest, so that short or well-known text cannot be guessed from it without the key. It does
   * not depend on the encryption key.
   */
  digest(text: string): string {
    return this.#digests.digest(text);
  }

  /** The first 64 bits of `digest`: as long as the digests of earlier releases, which had no key. */
  shortDigest(text: string): string {
    return this.digest(text).slice(0, SHORT_DIGEST_LENGTH);
  }

  /** True if the value is sealed with the current key. */
  isCurrent(stored: Uint8Array): boolean {
    return stored.length === 0 || this.#sealer.isCurrent(stored);
  }

  /** The value sealed with the current key; `undefined` if it already is. */
  async reseal(stored: Uint8Array, context: SealContext): Promise<Uint8Array | undefined> {
    if (this.isCurrent(stored)) return undefined;
    return await this.seal(new Uint8Array(await this.unseal(stored, context)), context);
  }

  #toUnreadableError(error: unknown, context: SealContext): unknown {
    if (!(error instanceof UnsealError)) return error;
    const reason = error.message;
    this.#onUnreadable({ place: context.join("/"), reason });
    return new UnreadableContentError(`stored content cannot be decrypted: ${reason}`);
  }
}

/** The sealer of content. Every chat writes some, so it uses the fastest cipher. */
export function createContentSealer(
  encryptionKeys: readonly string[],
  randomBytes: (n: number) => Uint8Array<ArrayBuffer>,
): Sealer {
  const cipher = XCHACHA20_POLY1305;
  return new Sealer(encryptionKeys, { purpose: "content", randomBytes, cipher });
}

/** The cipher of a store; the first call creates the store's digest key, which is stored sealed. */
export async function openContentCipher(
  kv: Deno.Kv,
  { randomBytes, ...options }: Omit<ContentCipherOptions, "digestKey"> & {
    randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
  },
): Promise<ContentCipher> {
  const { sealer } = options;
  const key = keys.contentDigestKey();
  const digestKey = await retryUntilCommitted(async () => {
    const entry = await kv.get(key);
    const known = await unsealDigestKey(parseRecord(digestKeySchema, entry)?.sealed, sealer);
    if (known !== undefined) return known;
    const made = randomBytes(DIGEST_KEY_BYTES);
    const sealed = sealer.sealSync(made, DIGEST_KEY_CONTEXT);
    const { ok } = await kv.atomic().check(entry).set(key, { v: 1, sealed }).commit();
    return ok ? made : undefined;
  }, { what: "content digest key" });
  return new ContentCipher({ ...options, digestKey });
}

/** `undefined` if it cannot be unsealed: with a new key, repeated messages are stored once more. */
async function unsealDigestKey(
  sealed: Uint8Array | undefined,
  sealer: Sealer,
): Promise<Uint8Array | undefined> {
  if (sealed === undefined) return undefined;
  try {
    return await sealer.unseal(sealed, DIGEST_KEY_CONTEXT);
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** Seals the digest key with the current encryption key. */
export async function resealDigestKey(kv: Deno.Kv, sealer: Sealer): Promise<void> {
  const entry = await kv.get(keys.contentDigestKey());
  const sealed = parseRecord(digestKeySchema, entry)?.sealed;
  const opened = await unsealDigestKey(sealed, sealer);
  if (sealed === undefined || opened === undefined || sealer.isCurrent(sealed)) return;
  const value = { v: 1, sealed: sealer.sealSync(opened, DIGEST_KEY_CONTEXT) };
  await kv.atomic().check(entry).set(entry.key, value).commit();
}

/** The contexts that sealed values are bound to. */
export const contentContexts = {
  /** The frames of a log after its chunks; `frames` is the number of all stored frames. */
  logTail: (tenant: string, runId: string, frames: number) => [
    "run_log_tails",
    tenant,
    runId,
    frames,
  ],
  logChunk: keys.runLogChunk,
  /** Short request messages of a run. */
  input: (tenant: string, runId: string) => ["runs_asked", tenant, runId],
  inputChunk: keys.runInputChunk,
  /** What a page answered to a call. */
  callAnswer: keys.callAnswerChunk,
  /** A run's transcript; a short one is chunk 0. */
  transcript: keys.transcriptChunk,
  /** The visitor that a session was minted for: its id and variables. */
  sessionVisitor: (tenant: string, sessionId: string) => ["session_visitors", tenant, sessionId],
  /** A visitor's id, next to its hash. */
  visitorId: (tenant: string, hash: string) => ["visitor_ids", tenant, hash],
  /** What an agent remembers about a visitor. */
  visitorMemory: keys.visitorMemory,
  conversationTitle: ({ tenant, id, agentId, page }: ConversationName) => [
    "conversation_titles",
    tenant,
    id,
    agentId,
    page,
  ],
  /** An entry of a hand-off's feed. */
  handoffEntry: keys.handoffEntry,
  /** Hosts that tools called, and notes about them. */
  details: (tenant: string, runId: string) => ["run_details", tenant, runId],
  /** What a rehearsal made of a run. */
  rehearsedRun: keys.rehearsedRun,
  /** A case of a test set, and what became of it in a run. */
  testCase: keys.testCase,
  testResult: keys.testResult,
  /** A question without a good answer, and the answer after a document was written. */
  unanswered: keys.unanswered,
  askedAgain: keys.askedAgain,
  /** The signed head of a run's frames. */
  runSeal: (tenant: string, runId: string) => ["run_seals", tenant, runId],
  /** The comment and the reasons of a visitor. */
  feedback: keys.feedback,
  /** An attachment's file name, file and text. */
  attachmentName: keys.attachment,
  attachmentChunk: keys.attachmentChunk,
  attachmentTextChunk: keys.attachmentTextChunk,
} as const satisfies Record<string, (...args: never[]) => SealContext>;

function isSealed(stored: Uint8Array): boolean {
  return stored.length > 0 && stored[0]! < MIN_JSON_BYTE;
}
