import { base64url, sha256 } from "./signer.ts";

/** Longer headers are rejected unread; a proof with the longest claims has about 1,200 characters. */
export const MAX_PROOF_LENGTH = 4_096;
const MAX_CLAIM_LENGTH = 512;
const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const COORDINATE_BYTES = 32;
const SIGNATURE_BYTES = 64;

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** What a valid proof says. */
export interface DpopProof {
  /** The thumbprint of its key (RFC 7638), 43 characters. */
  jkt: string;
  /** A digest of its id, 22 characters. */
  jti: string;
  /** The nonce, unverified; absent if it has none. */
  nonce: string | undefined;
}

/** The request that a proof must be for. */
export interface ProvenRequest {
  method: string;
  /** The path of its URL, without the query. */
  path: string;
  /** The token that is sent with it. */
  token: string;
}

type Json = Record<string, unknown>;
type PublicJwk = { kty: "EC"; crv: "P-256"; x: string; y: string };

/**
 * Verifies the header `DPoP` (RFC 9449, section 4.3): one compact JWT, signed with ES256 by the P-256 key
 * in it. `undefined` if anything is wrong. `iat` must be a number but may be any time: clocks of visitors
 * are hours off, so the nonce, which the caller checks, proves the time. Of `htu` only the path
 * counts, because a proxy may change scheme and host, and remove a prefix of the path; `ath` already
 * ties a proof to one service.
 */
export async function verifyDpopProof(
  jwt: string,
  request: ProvenRequest,
): Promise<DpopProof | undefined> {
  if (jwt.length > MAX_PROOF_LENGTH || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt)) return undefined;
  const [header = "", payload = "", signature = ""] = jwt.split(".");
  const jwk = readKey(decodeObject(header));
  const claims = readClaims(decodeObject(payload));
  const signed = decode(signature);
  if (jwk === undefined || claims === undefined) return undefined;
  if (signed?.length !== SIGNATURE_BYTES) return undefined;
  if (!await isSigned(`${header}.${payload}`, { jwk, signature: signed })) return undefined;
  if (claims.htm !== request.method || !leadsTo(claims.htu, request.path)) return undefined;
  if (claims.ath !== await sha256(request.token)) return undefined;
  const { jti, nonce } = claims;
  return { jkt: await thumbprint(jwk), jti: (await sha256(jti)).slice(0, 22), nonce };
}

/** The only accepted header: any other algorithm, type, key or parameter is rejected. */
function readKey(header: Json | undefined): PublicJwk | undefined {
  if (!hasExactly(header, ["typ", "alg", "jwk"])) return undefined;
  const { typ, alg, jwk } = header;
  if (typ !== "dpop+jwt" || alg !== "ES256") return undefined;
  if (!isObject(jwk) || !hasExactly(jwk, ["kty", "crv", "x", "y"])) return undefined;
  const { kty, crv, x, y } = jwk;
  if (kty !== "EC" || crv !== "P-256" || !isCoordinate(x) || !isCoordinate(y)) return undefined;
  return { kty, crv, x, y };
}

/** Other claims are ignored, as JWTs may have any. */
function readClaims(claims: Json | undefined) {
  const { htm, htu, iat, jti, ath, nonce } = claims ?? {};
  if (!isText(htm) || !isText(htu) || !isText(jti) || !isText(ath)) return undefined;
  if (typeof iat !== "number" || !Number.isFinite(iat)) return undefined;
  if (nonce !== undefined && !isText(nonce)) return undefined;
  return { htm, htu, jti, ath, nonce };
}

async function isSigned(
  text: string,
  { jwk, signature }: { jwk: PublicJwk; signature: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  try {
    // Rejects a point that is not on the curve.
    const key = await crypto.subtle.importKey("jwk", jwk, ECDSA, false, ["verify"]);
    return await crypto.subtle.verify(ECDSA, key, signature, utf8.encode(text));
  } catch {
    return false;
  }
}

/** RFC 7638: the required members in alphabetical order. */
function thumbprint({ crv, kty, x, y }: PublicJwk): Promise<string> {
  return sha256(JSON.stringify({ crv, kty, x, y }));
}

/** No path of the API ends with another one, so a removed prefix leaves one meaning. */
function leadsTo(url: string, path: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.pathname.endsWith(path);
}

function decodeObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(strictUtf8.decode(decode(text)));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}

/** In its only encoding, so that one key has one thumbprint. */
function isCoordinate(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const bytes = decode(value);
  return bytes?.length === COORDINATE_BYTES && base64url(bytes) === value;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_CLAIM_LENGTH;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasExactly<K extends string>(
  value: Json | undefined,
  names: readonly K[],
): value is Record<K, unknown> {
  return value !== undefined && Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name));
}
