import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` uniformly random base62 characters, without modulo bias. */
export function randomBase62(length: number, randomBytes: (n: number) => Uint8Array): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 * 62: larger bytes would favour the first characters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** A non-negative integer in base62, left-padded with `0` to `width`. */
export function toBase62(value: number, width: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text.padStart(width, "0");
}

/** A complete key anywhere in a text. */
export const API_KEY_PATTERN = /\bck_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}\b/;
const KEY = /^ck_live_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})$/;
const CHECKSUM = 6;

/** The parts of an API key: the public prefix finds it, the secret proves it. */
export type ApiKeyParts = { prefix: string; secret: string };

/** A new `ck_live_<prefix8>_<secret32>`; the secret's last 6 characters are a CRC-32 of the rest. */
export function newApiKey(randomBytes: (n: number) => Uint8Array): ApiKeyParts & { key: string } {
  const prefix = randomBase62(8, randomBytes);
  const random = randomBase62(32 - CHECKSUM, randomBytes);
  const secret = random + checksum(random);
  return { prefix, secret, key: `ck_live_${prefix}_${secret}` };
}

/** The parts of a well-formed key with a valid checksum: a mistyped key causes no read. */
export function parseApiKey(key: string): ApiKeyParts | undefined {
  const [, prefix, secret] = KEY.exec(key) ?? [];
  if (prefix === undefined || secret === undefined) return undefined;
  const random = secret.slice(0, -CHECKSUM);
  return secret.slice(-CHECKSUM) === checksum(random) ? { prefix, secret } : undefined;
}

function checksum(random: string): string {
  return toBase62(crc32(random), CHECKSUM);
}
