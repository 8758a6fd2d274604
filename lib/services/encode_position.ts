/** Encodes a position in an index for use in URLs. */
export function encodePosition(position: readonly unknown[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(position));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Trusts its input: the cursor's signature has been verified. */
export function decodePosition<T>(cursor: string): T {
  const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url" });
  return JSON.parse(new TextDecoder().decode(bytes));
}
