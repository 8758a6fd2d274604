import { createCipheriv, createDecipheriv } from "node:crypto";
import { EncryptionKey, KEY_ID_BYTES } from "./encryption_key.ts";

/** The first byte of everything sealed; another layout gets another number. */
const VERSION = 2;
const ALGORITHM = "aes-256-gcm";
const SALT_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES;
/** How many bytes longer a value is once it is sealed. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

/** What one version of this code sealed before keys had ids. */
const VERSION_WITHOUT_ID = 1;
const NO_SALT = new Uint8Array();

/**
 * Values sealed under one salt. A nonce of 96 random bits repeats among so many with a probability of
 * 2^-57; NIST SP 800-38D, 8.3, asks for less than 2^-32.
 */
const VALUES_PER_SALT = 2 ** 20;
/** Derived keys that are remembered: each process start adds a salt. */
const MAX_DERIVED = 1_000;
/** Larger values go through Web Crypto, which is slower to start and three times faster per byte. */
const LARGE_BYTES = 16 * 1024;

const encoder = new TextEncoder();
type Bytes = Uint8Array<ArrayBuffer>;

/** A stored key, which says what a value is and whose. */
export type SealContext = readonly (string | number)[];

/** The sealed bytes were damaged, moved to another key, or sealed under an unknown encryption key. */
export class UnsealError extends Error {
  override name = "UnsealError";
}

/** A sealed value taken apart. */
interface Parsed {
  /** The keys that may open it: one where it has an id. */
  keys: Bytes[];
  nonce: Bytes;
  /** The ciphertext with its tag. */
  body: Bytes;
}

/**
 * Encrypts what must be read again but never be read from a copy of the store: AES-256-GCM. The first
 * of several encryption keys seals, every one of them opens.
 *
 * A sealed value is the version (2), the id of its encryption key (4 bytes), a salt (8), a nonce (12),
 * the ciphertext, a tag (16). HKDF-SHA-256 derives its key from the encryption key, the salt and the
 * purpose, so that no purpose can open what another has sealed. The salt is drawn at the start and
 * after every 2^20 values; the nonce is drawn for each value. The storage key is authenticated: a value
 * copied to another key does not open. Version 1 had neither id nor salt, and is still read.
 */
export class Sealer {
  readonly #keys: readonly EncryptionKey[];
  readonly #purpose: string;
  readonly #randomBytes: (n: number) => Bytes;
  readonly #derived = new Map<string, Bytes>();
  #header = new Uint8Array();
  #key = new Uint8Array();
  #left = 0;

  /** `encryptionKeys` are each the base64 of 32 bytes; throws when one is not. */
  constructor(
    encryptionKeys: readonly string[],
    options: { purpose: string; randomBytes: (n: number) => Bytes },
  ) {
    if (encryptionKeys.length === 0) throw new Error("at least one encryption key is needed");
    this.#keys = encryptionKeys.map((text) => new EncryptionKey(text));
    this.#purpose = options.purpose;
    this.#randomBytes = options.randomBytes;
  }

  /** `plain` for the place `context` alone. Right for short values: it takes 10 us a kilobyte. */
  sealSync(plain: Uint8Array, context: SealContext): Bytes {
    const { bytes, nonce } = this.#begin(plain.length);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce);
    cipher.setAAD(encoder.encode(JSON.stringify(context)));
    bytes.set(cipher.update(plain), HEADER_BYTES);
    cipher.final();
    bytes.set(cipher.getAuthTag(), HEADER_BYTES + plain.length);
    return bytes;
  }

  /** As `sealSync`, on another thread where the value is large. */
  async seal(plain: Bytes, context: SealContext): Promise<Bytes> {
    if (plain.length < LARGE_BYTES) return this.sealSync(plain, context);
    const { bytes, nonce } = this.#begin(plain.length);
    const key = await webKey(this.#key, "encrypt");
    bytes.set(
      new Uint8Array(await crypto.subtle.encrypt(webCipher(nonce, context), key, plain)),
      HEADER_BYTES,
    );
    return bytes;
  }

  /** What was sealed for `context`. Throws `UnsealError`, which never tells any of it. */
  openSync(sealed: Uint8Array, context: SealContext): Bytes {
    const { keys, nonce, body } = this.#parse(sealed);
    const data = encoder.encode(JSON.stringify(context));
    for (const key of keys) {
      const cipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(data);
      cipher.setAuthTag(body.subarray(body.length - TAG_BYTES));
      const plain = cipher.update(body.subarray(0, body.length - TAG_BYTES));
      try {
        cipher.final();
        return new Uint8Array(plain);
      } catch { /* of another key, or none */ }
    }
    throw notOpening();
  }

  /** As `openSync`, on another thread where the value is large. */
  async open(sealed: Uint8Array, context: SealContext): Promise<Bytes> {
    if (sealed.length < LARGE_BYTES) return this.openSync(sealed, context);
    const { keys, nonce, body } = this.#parse(sealed);
    for (const bytes of keys) {
      const key = await webKey(bytes, "decrypt");
      try {
        return new Uint8Array(await crypto.subtle.decrypt(webCipher(nonce, context), key, body));
      } catch { /* of another key, or none */ }
    }
    throw notOpening();
  }

  /** The value as it would be sealed now; `undefined` where that is no different. */
  async reseal(sealed: Uint8Array, context: SealContext): Promise<Bytes | undefined> {
    if (this.isCurrent(sealed)) return undefined;
    return await this.seal(await this.open(sealed, context), context);
  }

  /** Whether a value is sealed as a new one would be: in this version, under the first key. */
  isCurrent(sealed: Uint8Array): boolean {
    return sealed[0] === VERSION && idOf(sealed) === this.#keys[0]!.id;
  }

  /** The value's bytes with their header, and a fresh nonce. */
  #begin(length: number): { bytes: Bytes; nonce: Bytes } {
    if (this.#left-- <= 0) this.#renewSalt();
    const nonce = this.#randomBytes(NONCE_BYTES);
    const bytes = new Uint8Array(length + SEAL_BYTES);
    bytes.set(this.#header);
    bytes.set(nonce, HEADER_BYTES - NONCE_BYTES);
    return { bytes, nonce };
  }

  #renewSalt(): void {
    const [first] = this.#keys;
    const salt = this.#randomBytes(SALT_BYTES);
    this.#key = this.#derive(first!, salt);
    this.#header = new Uint8Array([VERSION, ...Uint8Array.fromHex(first!.id), ...salt]);
    this.#left = VALUES_PER_SALT - 1;
  }

  #parse(sealed: Uint8Array): Parsed {
    const version = sealed[0];
    const start = version === VERSION ? HEADER_BYTES : 1 + NONCE_BYTES;
    const isKnown = version === VERSION || version === VERSION_WITHOUT_ID;
    if (!isKnown || sealed.length < start + TAG_BYTES) {
      throw new UnsealError("not a sealed value of a known version");
    }
    const keys = version === VERSION ? [this.#keyOf(sealed)] : this.#keys.map((key) => {
      // Without salt: the secret has its full entropy (RFC 5869, 3.1).
      return key.derive(`agent-chat sealing v${VERSION_WITHOUT_ID} ${this.#purpose}`, NO_SALT);
    });
    return { keys, nonce: sealed.slice(start - NONCE_BYTES, start), body: sealed.slice(start) };
  }

  #keyOf(sealed: Uint8Array): Bytes {
    const id = idOf(sealed);
    const key = this.#keys.find((one) => one.id === id);
    if (key === undefined) {
      throw new UnsealError(`sealed under the encryption key ${id}, which ENCRYPTION_KEY lacks`);
    }
    return this.#derive(key, sealed.slice(1 + KEY_ID_BYTES, HEADER_BYTES - NONCE_BYTES));
  }

  #derive(key: EncryptionKey, salt: Uint8Array): Bytes {
    const name = key.id + salt.toHex();
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    if (this.#derived.size >= MAX_DERIVED) this.#derived.clear();
    const derived = key.derive(`agent-chat sealing v${VERSION} ${this.#purpose}`, salt);
    this.#derived.set(name, derived);
    return derived;
  }
}

function idOf(sealed: Uint8Array): string {
  return sealed.slice(1, 1 + KEY_ID_BYTES).toHex();
}

function notOpening(): UnsealError {
  return new UnsealError("a sealed value does not open: damaged, moved, or of another key");
}

function webCipher(nonce: Bytes, context: SealContext): AesGcmParams {
  const additionalData = encoder.encode(JSON.stringify(context));
  return { name: "AES-GCM", iv: nonce, additionalData, tagLength: TAG_BYTES * 8 };
}

function webKey(bytes: Bytes, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [usage]);
}
