import { setImmediate } from "node:timers";
import {
  AES_256_GCM,
  type Cipher,
  type CipherInput,
  TAG_BYTES,
  XCHACHA20_POLY1305,
} from "./ciphers.ts";
import { EncryptionKey, KEY_ID_BYTES } from "./encryption_key.ts";

const CIPHERS = [XCHACHA20_POLY1305, AES_256_GCM];
/** Before the nonce: the version and the id of the encryption key. */
const PREFIX_BYTES = 1 + KEY_ID_BYTES;
/** How many bytes longer a value is once it is sealed, at most. */
export const SEAL_OVERHEAD_BYTES = PREFIX_BYTES + XCHACHA20_POLY1305.nonceBytes + TAG_BYTES;

/** What was sealed before keys had ids: AES-256-GCM, whose nonce follows the version. */
const OLD_VERSION = 1;
const OLD_HEADER_BYTES = 1 + AES_256_GCM.nonceBytes;

/** Random bytes are drawn for this many nonces at once: drawing each alone costs a quarter of a seal. */
const NONCE_BATCH = 128;
/** Sealing this much takes some 100 us: between large values the event loop runs others. */
const LARGE_BYTES = 16 * 1024;

const MAX_BYTES_PER_CHARACTER = 3;
const scratch = new Uint8Array(2_048);
const encoder = new TextEncoder();
type Bytes = Uint8Array<ArrayBuffer>;

/** A stored key, which says what a value is and whose. */
export type SealContext = readonly (string | number)[];

/** The sealed bytes were damaged, moved to another key, or sealed under an unknown encryption key. */
export class UnsealError extends Error {
  override name = "UnsealError";
}

/** An encryption key, and what is derived from it for one purpose. */
interface PurposeKey {
  readonly id: string;
  /** By the version of what they seal. */
  readonly byVersion: ReadonlyMap<number, Bytes>;
}

/**
 * Encrypts what must be read again but never be read from a copy of the store. The first of several
 * encryption keys seals, every one of them opens.
 *
 * A sealed value is the version, which names the cipher, the id of its encryption key (4 bytes), a random
 * nonce, the ciphertext and a tag (16 bytes). HKDF-SHA-256 derives its key from the encryption key for
 * the purpose and the cipher, so that no purpose can open what another has sealed. The storage key is
 * authenticated: a value copied to another key does not open. Version 1 had no id and is still read.
 */
export class Sealer {
  readonly #keys: readonly PurposeKey[];
  readonly #cipher: Cipher;
  readonly #randomBytes: (n: number) => Bytes;
  readonly #prefix: Bytes;
  #nonces = new Uint8Array();

  /** `encryptionKeys` are each the base64 of 32 bytes; throws when one is not. */
  constructor(
    encryptionKeys: readonly string[],
    { purpose, randomBytes, cipher = AES_256_GCM }: {
      purpose: string;
      randomBytes: (n: number) => Bytes;
      /** What new values are sealed with; values of every cipher are opened. */
      cipher?: Cipher;
    },
  ) {
    if (encryptionKeys.length === 0) throw new Error("at least one encryption key is needed");
    this.#keys = encryptionKeys.map((text) => purposeKey(new EncryptionKey(text), purpose));
    this.#cipher = cipher;
    this.#randomBytes = randomBytes;
    this.#prefix = new Uint8Array([cipher.version, ...Uint8Array.fromHex(this.#keys[0]!.id)]);
  }

  /** Seals `plain` for the place `context` alone. Meant for values of a few kilobytes. */
  sealSync(plain: Uint8Array, context: SealContext): Bytes {
    const { nonceBytes, version } = this.#cipher;
    const nonce = this.#nonce();
    const key = this.#keys[0]!.byVersion.get(version)!;
    const sealed = this.#cipher.encrypt(plain, { key, nonce, data: encodeContext(context) });
    const bytes = new Uint8Array(PREFIX_BYTES + nonceBytes + sealed.length);
    bytes.set(this.#prefix);
    bytes.set(nonce, PREFIX_BYTES);
    bytes.set(sealed, PREFIX_BYTES + nonceBytes);
    return bytes;
  }

  /** Like `sealSync`, for any size. */
  async seal(plain: Uint8Array, context: SealContext): Promise<Bytes> {
    if (plain.length >= LARGE_BYTES) await nextTurn();
    return this.sealSync(plain, context);
  }

  /** What was sealed for `context`. Throws `UnsealError`, which never holds any of it. */
  unsealSync(sealed: Uint8Array, context: SealContext): Bytes {
    if (sealed[0] === OLD_VERSION) return this.#openOld(sealed, context);
    const cipher = CIPHERS.find(({ version }) => version === sealed[0]);
    const start = PREFIX_BYTES + (cipher?.nonceBytes ?? 0);
    if (cipher === undefined || sealed.length < start + TAG_BYTES) throw unknownVersion();
    const id = idOf(sealed);
    const key = this.#keys.find((one) => one.id === id)?.byVersion.get(cipher.version);
    if (key === undefined) {
      throw new UnsealError(
        `sealed under the encryption key ${id}, which is not in ENCRYPTION_KEY`,
      );
    }
    const nonce = sealed.subarray(PREFIX_BYTES, start);
    const body = sealed.subarray(start);
    const opened = tryDecrypt(cipher, body, { key, nonce, data: encodeContext(context) });
    if (opened === undefined) throw cannotDecrypt();
    return opened;
  }

  /** Like `openSync`, for any size. */
  async unseal(sealed: Uint8Array, context: SealContext): Promise<Bytes> {
    if (sealed.length >= LARGE_BYTES) await nextTurn();
    return this.unsealSync(sealed, context);
  }

  /** The value as it would be sealed now; `undefined` where that is no different. */
  async reseal(sealed: Uint8Array, context: SealContext): Promise<Bytes | undefined> {
    if (this.isCurrent(sealed)) return undefined;
    return await this.seal(await this.unseal(sealed, context), context);
  }

  /** Whether a value is sealed as a new one would be: with this cipher, under the first key. */
  isCurrent(sealed: Uint8Array): boolean {
    return sealed[0] === this.#cipher.version && idOf(sealed) === this.#keys[0]!.id;
  }

  /** Returns a nonce that has not been used before. */
  #nonce(): Bytes {
    const { nonceBytes } = this.#cipher;
    if (this.#nonces.length === 0) this.#nonces = this.#randomBytes(NONCE_BATCH * nonceBytes);
    const nonce = this.#nonces.subarray(0, nonceBytes);
    this.#nonces = this.#nonces.subarray(nonceBytes);
    return nonce;
  }

  /** It does not say which key it is under, so each is tried. */
  #openOld(sealed: Uint8Array, context: SealContext): Bytes {
    if (sealed.length < OLD_HEADER_BYTES + TAG_BYTES) throw unknownVersion();
    const nonce = sealed.subarray(1, OLD_HEADER_BYTES);
    const body = sealed.subarray(OLD_HEADER_BYTES);
    for (const { byVersion } of this.#keys) {
      const key = byVersion.get(OLD_VERSION)!;
      const opened = tryDecrypt(AES_256_GCM, body, { key, nonce, data: encodeContext(context) });
      if (opened !== undefined) return opened;
    }
    throw cannotDecrypt();
  }
}

function purposeKey(key: EncryptionKey, purpose: string): PurposeKey {
  const versions = [OLD_VERSION, ...CIPHERS.map(({ version }) => version)];
  const derived = versions.map((version): [number, Bytes] => [
    version,
    key.derive(`agent-chat sealing v${version} ${purpose}`),
  ]);
  return { id: key.id, byVersion: new Map(derived) };
}

/** The plain text, or `undefined` for what is damaged, or of another key or place. */
function tryDecrypt(cipher: Cipher, sealed: Uint8Array, input: CipherInput): Bytes | undefined {
  try {
    return cipher.decrypt(sealed, input);
  } catch {
    return undefined;
  }
}

/** Bytes of the context that are read before the next call; a third of a seal is an array of its own. */
function encodeContext(context: SealContext): Uint8Array {
  const text = JSON.stringify(context);
  if (text.length * MAX_BYTES_PER_CHARACTER > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

function idOf(sealed: Uint8Array): string {
  return sealed.subarray(1, PREFIX_BYTES).toHex();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function unknownVersion(): UnsealError {
  return new UnsealError("unknown version of a sealed value");
}

function cannotDecrypt(): UnsealError {
  return new UnsealError(
    "cannot decrypt the value: it is damaged, was moved, or was sealed under another key",
  );
}
