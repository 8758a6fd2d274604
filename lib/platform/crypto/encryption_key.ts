import { hkdfSync } from "node:crypto";

const KEY_BYTES = 32;
/** None is needed: the secret has its full entropy (RFC 5869, 3.1). */
const NO_SALT = new Uint8Array();

/** How many bytes of a key's id stand in front of what it has sealed. */
export const KEY_ID_BYTES = 4;

/** One entry of `ENCRYPTION_KEY`. It seals nothing by itself: other keys are derived from it. */
export class EncryptionKey {
  /** Tells the keys of a list apart, 8 hexadecimal digits. It says nothing about the key. */
  readonly id: string;
  readonly #secret: Uint8Array;

  /** `text` is the base64 of 32 bytes; throws when it is not. */
  constructor(text: string) {
    this.#secret = Uint8Array.fromBase64(text);
    if (this.#secret.length !== KEY_BYTES) throw new Error("an encryption key must be 32 bytes");
    this.id = this.derive("agent-chat encryption key id").slice(0, KEY_ID_BYTES).toHex();
  }

  /** The 32 bytes that HKDF-SHA-256 derives for one purpose. */
  derive(info: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(hkdfSync("sha256", this.#secret, NO_SALT, info, KEY_BYTES));
  }
}

/** The ids of a list of keys, in its order. */
export function encryptionKeyIds(texts: readonly string[]): string[] {
  return texts.map((text) => new EncryptionKey(text).id);
}
