import { base64url } from "../../platform/crypto/signer.ts";

const PREFIX = "cs_";
const TENANT_BYTES = 16;
const SECRET_BYTES = 32;

/**
 * A new `cs_` token: the tenant's id and 32 random bytes. The id lets one read fetch the session together
 * with everything else that a message needs. It is not secret, and a changed id leads to no session.
 */
export function newSessionToken(
  tenant: string,
  randomBytes: (n: number) => Uint8Array,
): string {
  const bytes = new Uint8Array(TENANT_BYTES + SECRET_BYTES);
  bytes.set(Uint8Array.fromHex(tenant.replaceAll("-", "")));
  bytes.set(randomBytes(SECRET_BYTES), TENANT_BYTES);
  return PREFIX + base64url(bytes);
}

/** The unverified tenant of a token; `undefined` if the token is malformed. */
export function claimedTenant(token: string): string | undefined {
  if (!token.startsWith(PREFIX) || token.length > 256) return undefined;
  try {
    const text = token.slice(PREFIX.length);
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    if (bytes.length !== TENANT_BYTES + SECRET_BYTES) return undefined;
    const hex = bytes.subarray(0, TENANT_BYTES).toHex();
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  } catch {
    return undefined;
  }
}
