import sodium from "libsodium-wrappers";
import { createDecipheriv } from "node:crypto";
import { setImmediate } from "node:timers";
import { EncryptionKey, KEY_ID_BYTES } from "./encryption_key.ts";

// Its WebAssembly is compiled once; from then on every call answers at once.
await sodium.ready;

/** The first byte of everything sealed; another layout gets another number. */
const VERSION = 2;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;
/** How many bytes longer a value is once it is sealed. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

/** What was sealed before keys had ids: AES-256-GCM, after the version a nonce of 12 bytes. */
const OLD_VERSION = 1;
const OLD_HEADER_BYTES = 1 + 12;

/** Random bytes are drawn for so many nonces at once: by itself each costs a quarter of a seal. */
const NONCES_AT_ONCE = 128;
/** One of these takes some 100 us: in a series of them others have their turn. */
const LARGE_BYTES = 16 * 1024;

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
  id: string;
  key: Bytes;
  oldKey: Bytes;
}

/**
 * Encrypts what must be read again but never be read from a copy of the store: XChaCha20-Poly1305. The
 * first of several encryption keys seals, every one of them opens.
 *
 * A sealed value is the version (2), the id of its encryption key (4 bytes), a random nonce (24), the
 * ciphertext, a tag (16). HKDF-SHA-256 derives its key from the encryption key for the purpose, so that
 * no purpose can open what another has sealed. Random nonces of 192 bits never meet. The storage key is
 * authenticated: a value copied to another key does not open. Version 1 is still read.
 */
export class Sealer {
  readonly #keys: readonly PurposeKey[];
  readonly #randomBytes: (n: number) => Bytes;
  readonly #header: Bytes;
  #nonces = new Uint8Array();

  /** `encryptionKeys` are each the base64 of 32 bytes; throws when one is not. */
  constructor(
    encryptionKeys: readonly string[],
    { purpose, randomBytes }: { purpose: string; randomBytes: (n: number) => Bytes },
  ) {
    if (encryptionKeys.length === 0) throw new Error("at least one encryption key is needed");
    this.#keys = encryptionKeys.map((text) => purposeKey(new EncryptionKey(text), purpose));
    this.#randomBytes = randomBytes;
    this.#header = new Uint8Array([VERSION, ...Uint8Array.fromHex(this.#keys[0]!.id)]);
  }

  /** `plain` for the place `context` alone. Right for values of some kilobytes: it takes 5 us for each. */
  sealSync(plain: Uint8Array, context: SealContext): Bytes {
    const nonce = this.#nonce();
    const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
      plain,
      dataOf(context),
      null,
      nonce,
      this.#keys[0]!.key,
    );
    const bytes = new Uint8Array(HEADER_BYTES + sealed.length);
    bytes.set(this.#header);
    bytes.set(nonce, HEADER_BYTES - NONCE_BYTES);
    bytes.set(sealed, HEADER_BYTES);
    return bytes;
  }

  /** As `sealSync`, of any size. */
  async seal(plain: Uint8Array, context: SealContext): Promise<Bytes> {
    if (plain.length >= LARGE_BYTES) await nextTurn();
    return this.sealSync(plain, context);
  }

  /** What was sealed for `context`. Throws `UnsealError`, which never tells any of it. */
  openSync(sealed: Uint8Array, context: SealContext): Bytes {
    if (sealed[0] === OLD_VERSION) return this.#openOld(sealed, context);
    if (sealed[0] !== VERSION || sealed.length < SEAL_BYTES) throw unknownVersion();
    const id = idOf(sealed);
    const known = this.#keys.find((one) => one.id === id);
    if (known === undefined) {
      throw new UnsealError(`sealed under the encryption key ${id}, which ENCRYPTION_KEY lacks`);
    }
    const nonce = sealed.subarray(HEADER_BYTES - NONCE_BYTES, HEADER_BYTES);
    const body = sealed.subarray(HEADER_BYTES);
    try {
      return new Uint8Array(
        sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
          null,
          body,
          dataOf(context),
          nonce,
          known.key,
        ),
      );
    } catch {
      throw notOpening();
    }
  }

  /** As `openSync`, of any size. */
  async open(sealed: Uint8Array, context: SealContext): Promise<Bytes> {
    if (sealed.length >= LARGE_BYTES) await nextTurn();
    return this.openSync(sealed, context);
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

  /** Each is used once. */
  #nonce(): Bytes {
    if (this.#nonces.length === 0) this.#nonces = this.#randomBytes(NONCES_AT_ONCE * NONCE_BYTES);
    const nonce = this.#nonces.subarray(0, NONCE_BYTES);
    this.#nonces = this.#nonces.subarray(NONCE_BYTES);
    return nonce;
  }

  /** It does not say which key it is under. */
  #openOld(sealed: Uint8Array, context: SealContext): Bytes {
    if (sealed.length < OLD_HEADER_BYTES + TAG_BYTES) throw unknownVersion();
    const nonce = sealed.subarray(1, OLD_HEADER_BYTES);
    const body = sealed.subarray(OLD_HEADER_BYTES, sealed.length - TAG_BYTES);
    for (const { oldKey } of this.#keys) {
      const options = { authTagLength: TAG_BYTES };
      const cipher = createDecipheriv("aes-256-gcm", oldKey, nonce, options);
      cipher.setAAD(dataOf(context));
      cipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
      const plain = cipher.update(body);
      try {
        cipher.final();
        return new Uint8Array(plain);
      } catch { /* of another key, or none */ }
    }
    throw notOpening();
  }
}

function purposeKey(key: EncryptionKey, purpose: string): PurposeKey {
  return {
    id: key.id,
    key: key.derive(`agent-chat sealing v${VERSION} ${purpose}`),
    oldKey: key.derive(`agent-chat sealing v${OLD_VERSION} ${purpose}`),
  };
}

function dataOf(context: SealContext): Uint8Array {
  return encoder.encode(JSON.stringify(context));
}

function idOf(sealed: Uint8Array): string {
  return sealed.subarray(1, 1 + KEY_ID_BYTES).toHex();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function unknownVersion(): UnsealError {
  return new UnsealError("not a sealed value of a known version");
}

function notOpening(): UnsealError {
  return new UnsealError("a sealed value does not open: damaged, moved, or of another key");
}
