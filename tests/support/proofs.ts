import { base64url, sha256 } from "@/lib/platform/crypto/signer.ts";

type Json = Record<string, unknown>;

/** What a proof says of its request; all fields of header and claims can be changed. */
export interface ProofOf {
  method?: string;
  /** A path, or an absolute URL. */
  url: string;
  token: string;
  nonce?: string | undefined;
  claims?: Json;
  header?: Json;
}

/** A key of a client, which signs proofs. */
export class ProofKey {
  readonly #pair: CryptoKeyPair;
  readonly jwk: { kty: string; crv: string; x: string; y: string };

  private constructor(pair: CryptoKeyPair, { x = "", y = "" }: JsonWebKey) {
    this.#pair = pair;
    this.jwk = { kty: "EC", crv: "P-256", x, y };
  }

  static async create(): Promise<ProofKey> {
    const ecdsa = { name: "ECDSA", namedCurve: "P-256" };
    const pair = await crypto.subtle.generateKey(ecdsa, true, ["sign", "verify"]);
    return new ProofKey(pair, await crypto.subtle.exportKey("jwk", pair.publicKey));
  }

  async privateJwk(): Promise<JsonWebKey> {
    return await crypto.subtle.exportKey("jwk", this.#pair.privateKey);
  }

  /** The RFC 7638 thumbprint. */
  async jkt(): Promise<string> {
    const { crv, kty, x, y } = this.jwk;
    return await sha256(JSON.stringify({ crv, kty, x, y }));
  }

  async sign({ method = "GET", url, token, nonce, claims, header }: ProofOf): Promise<string> {
    const all = {
      htm: method,
      htu: new URL(url, "https://chat.example.com").href.replace(/[?#].*/s, ""),
      iat: Math.floor(Date.now() / 1000),
      jti: crypto.randomUUID(),
      ath: await sha256(token),
      ...nonce !== undefined && { nonce },
      ...claims,
    };
    const head = { typ: "dpop+jwt", alg: "ES256", jwk: this.jwk, ...header };
    return await this.signText(`${encodeJson(head)}.${encodeJson(all)}`);
  }

  async signText(text: string): Promise<string> {
    const how = { name: "ECDSA", hash: "SHA-256" };
    const bytes = new TextEncoder().encode(text);
    return `${text}.${base64url(await crypto.subtle.sign(how, this.#pair.privateKey, bytes))}`;
  }
}

export function encodeJson(value: unknown): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}
