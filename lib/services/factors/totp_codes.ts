import { Secret, TOTP } from "otpauth";

/** What authenticator apps support everywhere: RFC 6238 with SHA-1, six digits, 30 seconds. */
const PARAMETERS = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Time steps before and after now that are accepted: clocks of phones differ, and typing takes time. */
const WINDOW = 1;
const SECRET_BYTES = 20;

/** A new secret, base32. */
export function newTotpSecret(randomBytes: (n: number) => Uint8Array<ArrayBuffer>): string {
  return new Secret({ buffer: randomBytes(SECRET_BYTES).buffer }).base32;
}

/** The `otpauth:` link that an authenticator app reads from a QR code. */
export function totpLink(
  secret: string,
  { account, host }: { account: string; host: string },
): string {
  const issuer = `Agent Chat (${host.replaceAll(":", " ")})`;
  return new TOTP({ ...PARAMETERS, issuer, label: account, secret: Secret.fromBase32(secret) })
    .toString();
}

/**
 * The time step of a right code; `undefined` for a wrong one, and for one of the step `after` or before it,
 * because a code is accepted once.
 */
export function acceptedStep(
  code: string,
  { secret, after, now }: { secret: string; after: number; now: number },
): number | undefined {
  const totp = new TOTP({ ...PARAMETERS, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  if (delta === null) return undefined;
  const step = totp.counter({ timestamp: now }) + delta;
  return step > after ? step : undefined;
}
