/** Roles within a tenant; each includes the ones after it. */
export type Role = "owner" | "admin" | "viewer";

/** A dashboard user as routes and pages see one. */
export interface SignedInUser {
  id: string;
  tenant: string;
  email: string;
  role: Role;
  /** Sees tenants, plans, the catalogue and the vendor slots too. */
  operator: boolean;
  /** When they last gave their password, in milliseconds. */
  provenAt: number;
}

/** For how long a password counts as just given: long enough for one errand. */
export const RECENT_PASSWORD_MS = 15 * 60_000;

/** Whether somebody gave their password recently enough to touch what opens doors. */
export function isPasswordRecent({ provenAt }: SignedInUser, now: number): boolean {
  return now - provenAt < RECENT_PASSWORD_MS;
}
