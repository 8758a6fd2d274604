import { hkdfSync } from "node:crypto";

const ID_BYTES = 4;
const PURPOSE = "agent-chat hmac secret id";
/** The purpose separates the id from all else; a salt of one's own could not be known at the next start. */
const NO_SALT = new Uint8Array();

/**
 * Tells the entries of `API_KEY_HMAC_SECRET` apart, 8 hexadecimal digits derived with HKDF-SHA-256. It
 * makes no secret easier to guess: the store has longer hashes under it, of addresses and API keys.
 */
export function hmacSecretId(secret: string): string {
  return new Uint8Array(hkdfSync("sha256", secret, NO_SALT, PURPOSE, ID_BYTES)).toHex();
}
