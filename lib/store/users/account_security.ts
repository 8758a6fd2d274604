import { z } from "zod";

/** The most passkeys of a user. */
export const MAX_PASSKEYS = 10;
/** The most notices kept for a user: the oldest go. */
export const MAX_NOTICES = 5;

/** No sign-in lasts longer. */
const NOTICE_MS = 7 * 86_400_000;

const passkeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** The authenticator's id of the key pair, base64url. */
  credentialId: z.string(),
  /** COSE key. */
  publicKey: z.instanceof(Uint8Array),
  /** The authenticator's count of signatures; 0 if it does not count. */
  counter: z.int(),
  transports: z.array(z.string()),
  createdAt: z.int(),
  usedAt: z.int().optional(),
});
export type Passkey = z.infer<typeof passkeySchema>;

const noticeSchema = z.object({
  id: z.uuid(),
  at: z.int(),
  device: z.string(),
  network: z.string(),
  /** The SHA-256 of the cookie: the new device itself does not get the notice. */
  signIn: z.string(),
});
/** A sign-in from a browser that the user had not used before. */
export type DeviceNotice = z.infer<typeof noticeSchema>;

/**
 * Whether a sign-in may dismiss a notice. A newer one may be the intruder's, so it must be older than the
 * notice, or have started after the reported session expired.
 */
export function canDismiss({ at }: DeviceNotice, { createdAt }: { createdAt: number }): boolean {
  return createdAt < at || createdAt > at + NOTICE_MS;
}

export const accountSecuritySchema = z.object({
  v: z.literal(1),
  totp: z.object({
    /** The sealed secret. */
    sealed: z.instanceof(Uint8Array),
    /** The time step of the latest accepted code: a code is accepted once. */
    counter: z.int(),
    createdAt: z.int(),
  }).optional(),
  passkeys: z.array(passkeySchema).default([]),
  recovery: z.object({
    /** SHA-256 of the codes that were not used. */
    hashes: z.array(z.string()),
    createdAt: z.int(),
  }).optional(),
  notices: z.array(noticeSchema).default([]),
});
export type AccountSecurity = z.infer<typeof accountSecuritySchema>;

export const NO_SECURITY: AccountSecurity = { v: 1, passkeys: [], notices: [] };

/** Recovery codes alone are no factor: they stand in for one. */
export function hasFactor({ totp, passkeys }: AccountSecurity): boolean {
  return totp !== undefined || passkeys.length > 0;
}

export const tenantSecuritySchema = z.object({ v: z.literal(1), requiresFactor: z.boolean() });
