import { setImmediate as nextTurn } from "node:timers/promises";
import {
  AES_256_GCM,
  type Cipher,
  type CipherInput,
  TAG_BYTES,
  XCHACHA20_POLY1305,
} from "./ciphers.ts";
import { EncryptionKey, KEY_ID_BYTES } from "./encryption_key.ts";

const CIPHERS = [XCHACHA20_POLY1305, AES_256_GCM];
/** Version and encryption key id, in front of the nonce. */
const PREFIX_BYTES = 1 + KEY_ID_BYTES;
/** The most bytes that sealing adds to a value. */
export const SEAL_OVERHEAD_BYTES = PREFIX_BYTES + XCHACHA20_POLY1305.nonceBytes + TAG_BYTES;

/** Values sealed before keys had ids: AES-256-GCM, the nonce directly after the version. */
const VERSION_1 = 1;
const VERSION_1_HEADER_BYTES = 1 + AES_256_GCM.nonceBytes;

/** Nonces drawn per call: drawing each one separately costs a quarter of a seal. */
const NONCE_BATCH = 128;
/** Sealing this much takes about 100 us: yield to the event loop between large values. */
const LARGE_BYTES = 16 * 1024;

const MAX_BYTES_PER_CHARACTER = 3;
const scratch = new Uint8Array(2_048);
const encoder = new TextEncoder();
type Bytes = Uint8Array<ArrayBuffer>;

/** A storage key: it identifies what a value is and who owns it. */
export type SealContext = readonly (string | number)[];

/** The sealed bytes were damaged, moved to another key, or sealed under an unknown encryption key. */
export class UnsealError extends Error {
  override name = "UnsealError";
}

/** An encryption key's id and the keys derived from it for one purpose. */
interface PurposeKey {
  readonly id: string;
  /** By the version byte of the values they seal. */
  readonly byVersion: ReadonlyMap<number, Bytes>;
}

/**
 * Encrypts values that must be readable later, but not from a copy of the store. The first encryption
 * key seals, all of them unseal.
 *
 * A sealed value is a version byte (which names the cipher), the id of its encryption key (4 bytes), a
 * random nonce, the ciphertext and a tag (16 bytes). Its key is derived with HKDF-SHA-256 from the
 * encryption key, the purpose and the cipher, so one purpose cannot unseal another's values. The storage
 * key is authenticated: a value copied to another key does not unseal. Version 1 has no id and is still
 * read.
 */
export class Sealer {
  readonly #keys: readonly PurposeKey[];
  readonly #cipher: Cipher;
  readonly #randomBytes: (n: number) => Bytes;
  readonly #prefix: Bytes;
  #nonces = new Uint8Array();

  /** `encryptionKeys` are base64 of 32 bytes each; throws if one is not. */
  constructor(
    encryptionKeys: readonly string[],
    { purpose, randomBytes, cipher = AES_256_GCM }: {
      purpose: string;
      randomBytes: (n: number) => Bytes;
      /** Seals new values; values of every cipher can be unsealed. */
      cipher?: Cipher;
    },
  ) {
    if (encryptionKeys.length === 0) throw new Error("at least one encryption key is needed");
    this.#keys = encryptionKeys.map((text) => purposeKey(new EncryptionKey(text), purpose));
    this.#cipher = cipher;
    this.#randomBytes = randomBytes;
    this.#prefix = new Uint8Array([cipher.version, ...Uint8Array.fromHex(this.#keys[0]!.id)]);
  }

  /** Seals `plain` for the storage key `context`. For values of a few kilobytes. */
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

  /** Unseals a value of `context`. Throws `UnsealError`, which never contains any of it. */
  unsealSync(sealed: Uint8Array, context: SealContext): Bytes {
    if (sealed[0] === VERSION_1) return this.#unsealVersion1(sealed, context);
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
    const plain = tryDecrypt(cipher, body, { key, nonce, data: encodeContext(context) });
    if (plain === undefined) throw cannotDecrypt();
    return plain;
  }

  /** Like `unsealSync`, for any size. */
  async unseal(sealed: Uint8Array, context: SealContext): Promise<Bytes> {
    if (sealed.length >= LARGE_BYTES) await nextTurn();
    return this.unsealSync(sealed, context);
  }

  /** Seals the value again with the current key and cipher; `undefined` if it already is. */
  async reseal(sealed: Uint8Array, context: SealContext): Promise<Bytes | undefined> {
    if (this.isCurrent(sealed)) return undefined;
    return await this.seal(await this.unseal(sealed, context), context);
  }

  /** True if the value is sealed with the current cipher under the first key. */
  isCurrent(sealed: Uint8Array): boolean {
    return sealed[0] === this.#cipher.version && idOf(sealed) === this.#keys[0]!.id;
  }

  #nonce(): Bytes {
    const { nonceBytes } = this.#cipher;
    if (this.#nonces.length === 0) this.#nonces = this.#randomBytes(NONCE_BATCH * nonceBytes);
    const nonce = this.#nonces.subarray(0, nonceBytes);
    this.#nonces = this.#nonces.subarray(nonceBytes);
    return nonce;
  }

  /** Version 1 does not name its key, so each one is tried. */
  #unsealVersion1(sealed: Uint8Array, context: SealContext): Bytes {
    if (sealed.length < VERSION_1_HEADER_BYTES + TAG_BYTES) throw unknownVersion();
    const nonce = sealed.subarray(1, VERSION_1_HEADER_BYTES);
    const body = sealed.subarray(VERSION_1_HEADER_BYTES);
    for (const { byVersion } of this.#keys) {
      const key = byVersion.get(VERSION_1)!;
      const plain = tryDecrypt(AES_256_GCM, body, { key, nonce, data: encodeContext(context) });
      if (plain !== undefined) return plain;
    }
    throw cannotDecrypt();
  }
}

function purposeKey(key: EncryptionKey, purpose: string): PurposeKey {
  const versions = [VERSION_1, ...CIPHERS.map(({ version }) => version)];
  const derived = versions.map((version): [number, Bytes] => [
    version,
    key.derive(`agent-chat sealing v${version} ${purpose}`),
  ]);
  return { id: key.id, byVersion: new Map(derived) };
}

/** Returns the plaintext, or `undefined` if the value is damaged or belongs elsewhere. */
function tryDecrypt(cipher: Cipher, sealed: Uint8Array, input: CipherInput): Bytes | undefined {
  try {
    return cipher.decrypt(sealed, input);
  } catch {
    return undefined;
  }
}

/** Encodes into a buffer that is valid until the next call: allocating costs a third of a seal. */
function encodeContext(context: SealContext): Uint8Array {
  const text = JSON.stringify(context);
  if (text.length * MAX_BYTES_PER_CHARACTER > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

function idOf(sealed: Uint8Array): string {
  return sealed.subarray(1, PREFIX_BYTES).toHex();
}

function unknownVersion(): UnsealError {
  return new UnsealError("unknown version of a sealed value");
}

function cannotDecrypt(): UnsealError {
  return new UnsealError(
    "cannot decrypt the value: it is damaged, was moved, or was sealed under another key",
  );
}
