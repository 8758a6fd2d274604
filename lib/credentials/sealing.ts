/** First byte of everything sealed; another layout gets another number. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

const encoder = new TextEncoder();

/** A stored key, which says what a value is and whose. */
export type SealContext = readonly (string | number)[];

/** The sealed bytes were damaged, moved to another key, or sealed under another encryption key. */
export class UnsealError extends Error {
  override name = "UnsealError";
}

/**
 * Encrypts what must be read again but never be read from a copy of the store: AES-256-GCM under a
 * key that HKDF-SHA-256 derives from `ENCRYPTION_KEY` for one purpose, so that no purpose can open
 * what another has sealed.
 *
 * A sealed value is one version byte (1), a random nonce of 12 bytes, the ciphertext, a tag of 16
 * bytes. The storage key is authenticated with it: a value copied to another key does not open.
 * Random nonces are safe for 2^32 values per purpose (NIST SP 800-38D, 8.3).
 */
export class Sealer {
  #key: Promise<CryptoKey>;
  #randomBytes: (n: number) => Uint8Array<ArrayBuffer>;

  /** `encryptionKey` is the base64 of 32 bytes; throws when it is not. */
  constructor(
    encryptionKey: string,
    options: { purpose: string; randomBytes: (n: number) => Uint8Array<ArrayBuffer> },
  ) {
    const secret = Uint8Array.fromBase64(encryptionKey);
    if (secret.length !== KEY_BYTES) throw new Error("the encryption key must be of 32 bytes");
    this.#key = deriveKey(secret, options.purpose);
    this.#randomBytes = options.randomBytes;
  }

  /** `plain` for the place `context` alone. */
  async seal(plain: Uint8Array<ArrayBuffer>, context: SealContext): Promise<Uint8Array> {
    const nonce = this.#randomBytes(NONCE_BYTES);
    const sealed = await crypto.subtle.encrypt(cipher(nonce, context), await this.#key, plain);
    const bytes = new Uint8Array(1 + NONCE_BYTES + sealed.byteLength);
    bytes[0] = VERSION;
    bytes.set(nonce, 1);
    bytes.set(new Uint8Array(sealed), 1 + NONCE_BYTES);
    return bytes;
  }

  /** What was sealed for `context`. Throws `UnsealError`, which never tells any of it. */
  async open(sealed: Uint8Array, context: SealContext): Promise<Uint8Array<ArrayBuffer>> {
    if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) {
      throw new UnsealError("not a sealed value of a known version");
    }
    const nonce = sealed.slice(1, 1 + NONCE_BYTES);
    const rest = sealed.slice(1 + NONCE_BYTES);
    try {
      const key = await this.#key;
      return new Uint8Array(await crypto.subtle.decrypt(cipher(nonce, context), key, rest));
    } catch {
      throw new UnsealError("a sealed value does not open: damaged, moved, or of another key");
    }
  }
}

function cipher(nonce: Uint8Array<ArrayBuffer>, context: SealContext): AesGcmParams {
  const additionalData = encoder.encode(JSON.stringify(context));
  return { name: "AES-GCM", iv: nonce, additionalData, tagLength: TAG_BYTES * 8 };
}

async function deriveKey(secret: Uint8Array<ArrayBuffer>, purpose: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  // Without salt: the secret has its full entropy (RFC 5869, 3.1).
  const hkdf = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: encoder.encode(`agent-chat sealing v${VERSION} ${purpose}`),
  };
  const usages: KeyUsage[] = ["encrypt", "decrypt"];
  return await crypto.subtle.deriveKey(hkdf, base, { name: "AES-GCM", length: 256 }, false, usages);
}
