import { timingSafeEqual } from "@std/crypto/timing-safe-equal";

const encoder = new TextEncoder();

/** Keyed HMAC-SHA256 with rotating server secrets: the first signs, all verify. */
export class Signer {
  #keys: Promise<CryptoKey[]>;

  constructor(secrets: readonly string[]) {
    if (secrets.length === 0) throw new Error("at least one HMAC secret is needed");
    this.#keys = Promise.all(secrets.map(importKey));
  }

  /** Base64url of the HMAC under the first secret. */
  async sign(text: string): Promise<string> {
    const [key] = await this.#keys;
    return await hmac(key!, text);
  }

  /** Whether `hash` is the HMAC of `text` under any secret; every secret is tried, always. */
  async verify(text: string, hash: string): Promise<boolean> {
    return (await this.verifier(text))(hash);
  }

  /** As `verify`, for a hash that is found later: all that costs time is done before it is. */
  async verifier(text: string): Promise<(hash: string) => boolean> {
    const secrets = await this.#keys;
    const macs = await Promise.all(
      secrets.map(async (key) => encoder.encode(await hmac(key, text))),
    );
    return (hash) => {
      const expected = encoder.encode(hash);
      let ok = false;
      for (const actual of macs) {
        // Only digests have one length; the empty stand-in for an unknown prefix must not throw.
        const same = actual.length === expected.length && timingSafeEqual(actual, expected);
        ok = same || ok;
      }
      return ok;
    };
  }
}

/** Base64url SHA-256: for tokens of full entropy, where a slow or keyed hash adds nothing. */
export async function sha256(text: string): Promise<string> {
  return base64url(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

export function base64url(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  return new Uint8Array(bytes).toBase64({ alphabet: "base64url", omitPadding: true });
}

function importKey(secret: string): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
}

async function hmac(key: CryptoKey, text: string): Promise<string> {
  return base64url(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}
