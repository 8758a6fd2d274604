import { z } from "zod";
import { KeyedHash } from "../../platform/crypto/keyed_hash.ts";
import { XCHACHA20_POLY1305 } from "../../platform/crypto/ciphers.ts";
import { type SealContext, Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import { keys } from "../keys/keys.ts";
import { CorruptRecordError, parseRecord, retryUntilCommitted } from "../values/record.ts";

const DIGEST_KEY_BYTES = 32;
const SHORT_DIGEST_LENGTH = 11;
const DIGEST_KEY_CONTEXT = ["installation", "content_digest_key"];
/** Stored content is JSON, cut anywhere: no byte of it is below this. The version of a seal is. */
const MIN_JSON_BYTE = 9;

const digestKeySchema = z.object({ v: z.literal(1), sealed: z.instanceof(Uint8Array) });

/** Stored content does not decrypt: its key is missing, or it was changed. */
export class UnreadableContentError extends CorruptRecordError {
  override name = "UnreadableContentError";
}

export interface ContentCipherOptions {
  sealer: Sealer;
  /** 32 random bytes. */
  digestKey: Uint8Array;
  /** Called with each value that does not decrypt; `place` holds ids, never content. */
  onUnreadable?: (unreadable: { place: string; reason: string }) => void;
}

/**
 * Encrypts what was said: messages, answers, tools' arguments and results. Every value is bound to its
 * place (tenant, run, number), so that one cannot be put in place of another. What was stored before
 * content was encrypted is read as it is.
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

  /** The stored form of `bytes`; nothing stays nothing. */
  sealSync(bytes: Uint8Array, place: SealContext): Uint8Array<ArrayBuffer> {
    return bytes.length === 0 ? new Uint8Array() : this.#sealer.sealSync(bytes, place);
  }

  /** Like `sealSync`, for any size. */
  async seal(bytes: Uint8Array<ArrayBuffer>, place: SealContext): Promise<Uint8Array<ArrayBuffer>> {
    return bytes.length === 0 ? bytes : await this.#sealer.seal(bytes, place);
  }

  /** What was stored at `place`. Throws `UnreadableContentError`. */
  async unseal(stored: Uint8Array, place: SealContext): Promise<Uint8Array> {
    if (!isSealed(stored)) return stored;
    try {
      return await this.#sealer.unseal(stored, place);
    } catch (error) {
      throw this.#toUnreadableError(error, place);
    }
  }

  /** As `open`, where nothing may be waited for; right for short values. */
  unsealSync(stored: Uint8Array, place: SealContext): Uint8Array {
    if (!isSealed(stored)) return stored;
    try {
      return this.#sealer.unsealSync(stored, place);
    } catch (error) {
      throw this.#toUnreadableError(error, place);
    }
  }

  /**
   * A keyed digest of short or well-known text, which without the key nobody can guess it by. The same
   * under every encryption key.
   */
  digest(text: string): string {
    return this.#digests.digest(text);
  }

  /** As `digest`, 64 bits of it: the length of what earlier versions stored without a key. */
  shortDigest(text: string): string {
    return this.digest(text).slice(0, SHORT_DIGEST_LENGTH);
  }

  /** Whether a value is as it would be stored now. */
  isCurrent(stored: Uint8Array): boolean {
    return stored.length === 0 || this.#sealer.isCurrent(stored);
  }

  /** The value as it would be stored now; `undefined` where that is no different. */
  async reseal(stored: Uint8Array, place: SealContext): Promise<Uint8Array | undefined> {
    if (this.isCurrent(stored)) return undefined;
    return await this.seal(new Uint8Array(await this.unseal(stored, place)), place);
  }

  #toUnreadableError(error: unknown, place: SealContext): unknown {
    if (!(error instanceof UnsealError)) return error;
    const reason = error.message;
    this.#onUnreadable({ place: place.join("/"), reason });
    return new UnreadableContentError(`stored content cannot be decrypted: ${reason}`);
  }
}

/** What content is sealed with: every chat writes some, so the cheapest cipher counts. */
export function createContentSealer(
  encryptionKeys: readonly string[],
  randomBytes: (n: number) => Uint8Array<ArrayBuffer>,
): Sealer {
  const cipher = XCHACHA20_POLY1305;
  return new Sealer(encryptionKeys, { purpose: "content", randomBytes, cipher });
}

/** The cipher of a store, whose digest key is made at the first call and kept there, sealed. */
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

/** `undefined` for one that does not open: with another, repeated messages are stored once more. */
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

/** Seals the digest key anew; false where that is not needed. */
export async function resealDigestKey(kv: Deno.Kv, sealer: Sealer): Promise<boolean> {
  const entry = await kv.get(keys.contentDigestKey());
  const sealed = parseRecord(digestKeySchema, entry)?.sealed;
  const opened = await unsealDigestKey(sealed, sealer);
  if (sealed === undefined || opened === undefined || sealer.isCurrent(sealed)) return false;
  const value = { v: 1, sealed: sealer.sealSync(opened, DIGEST_KEY_CONTEXT) };
  return (await kv.atomic().check(entry).set(entry.key, value).commit()).ok;
}

/** Where content stands in the store: what a sealed value is bound to. */
export const contentContexts = {
  /** Frames of a log that are in no chunk yet: `frames` counts those stored with them. */
  logTail: (tenant: string, runId: string, frames: number) => [
    "run_log_tails",
    tenant,
    runId,
    frames,
  ],
  logChunk: keys.runLogChunk,
  /** What a run was asked, where it is short. */
  input: (tenant: string, runId: string) => ["runs_asked", tenant, runId],
  inputChunk: keys.runInputChunk,
  /** What was said in a run; short words are part 0. */
  transcript: keys.transcriptChunk,
  /** Hosts that tools reached, and notes about them. */
  details: (tenant: string, runId: string) => ["run_details", tenant, runId],
} as const satisfies Record<string, (...args: never[]) => SealContext>;

function isSealed(stored: Uint8Array): boolean {
  return stored.length > 0 && stored[0]! < MIN_JSON_BYTE;
}
