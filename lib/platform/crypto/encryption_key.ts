import { hkdfSync } from "node:crypto";

const KEY_BYTES = 32;
/** No salt is needed: the secret has full entropy (RFC 5869, 3.1). */
const NO_SALT = new Uint8Array();

/** Bytes of the key id in front of a sealed value. */
export const KEY_ID_BYTES = 4;

/** One entry of `ENCRYPTION_KEY`. It never seals anything itself: other keys are derived from it. */
export class EncryptionKey {
  /** Identifies the key in a list, 8 hexadecimal digits, and reveals nothing about it. */
  readonly id: string;
  readonly #secret: Uint8Array;

  /** `text` is the base64 of 32 bytes; throws if it is not. */
  constructor(text: string) {
    this.#secret = Uint8Array.fromBase64(text);
    if (this.#secret.length !== KEY_BYTES) throw new Error("an encryption key must be 32 bytes");
    this.id = this.derive("agent-chat encryption key id").slice(0, KEY_ID_BYTES).toHex();
  }

  /** Derives 32 bytes for one purpose with HKDF-SHA-256. */
  derive(info: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(hkdfSync("sha256", this.#secret, NO_SALT, info, KEY_BYTES));
  }
}

export function encryptionKeyIds(texts: readonly string[]): string[] {
  return texts.map((text) => new EncryptionKey(text).id);
}
