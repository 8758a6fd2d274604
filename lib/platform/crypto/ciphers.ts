import sodium from "libsodium-wrappers";
import { createCipheriv, createDecipheriv } from "node:crypto";

// Its WebAssembly is compiled once; from then on every call returns at once.
await sodium.ready;

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of the authentication tag, which stands behind the ciphertext. */
export const TAG_BYTES = 16;

/** The inputs of one encryption. */
export interface CipherInput {
  /** 32 bytes. */
  key: Bytes;
  /** Used once under its key. */
  nonce: Uint8Array;
  /** Authenticated with the text, and not part of the result. */
  data: Uint8Array;
}

/** An authenticated cipher with keys of 256 bits. */
export interface Cipher {
  /** The first byte of what was sealed with it. */
  readonly version: number;
  readonly nonceBytes: number;
  /** The ciphertext and its tag. */
  encrypt(plain: Uint8Array, input: CipherInput): Uint8Array;
  /** The plain text; throws when anything is not as it was encrypted. */
  decrypt(sealed: Uint8Array, input: CipherInput): Bytes;
}

/**
 * For what is written with every chat: a third of the cost of AES-GCM for each value on Deno 2.9, and
 * random nonces of 192 bits never repeat.
 */
export const XCHACHA20_POLY1305: Cipher = {
  version: 2,
  nonceBytes: 24,
  encrypt: (plain, { key, nonce, data }) =>
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, data, null, nonce, key),
  decrypt: (sealed, { key, nonce, data }) =>
    new Uint8Array(
      sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, data, nonce, key),
    ),
};

/** For credentials: the approved standard. Good for 2^32 values under one key (NIST SP 800-38D, 8.3). */
export const AES_256_GCM: Cipher = {
  version: 3,
  nonceBytes: 12,
  encrypt(plain, { key, nonce, data }) {
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(data);
    const parts = [cipher.update(plain), cipher.final(), cipher.getAuthTag()];
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  },
  decrypt(sealed, { key, nonce, data }) {
    const text = sealed.subarray(0, sealed.length - TAG_BYTES);
    const cipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(data);
    cipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const plain = cipher.update(text);
    // Nothing is returned before the tag has been checked.
    cipher.final();
    return new Uint8Array(plain);
  },
};
