import type { SignedInUser } from "./signed_in_user.ts";

/** For how long a password counts as just given: long enough for one errand. */
export const RECENT_PASSWORD_MS = 15 * 60_000;

/** Whether somebody gave their password recently enough to touch what opens doors. */
export function isPasswordRecent({ provenAt }: SignedInUser, now: number): boolean {
  return now - provenAt < RECENT_PASSWORD_MS;
}
