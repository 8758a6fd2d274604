/** Roles within a tenant; each includes the rights of the later ones. */
export type Role = "owner" | "admin" | "viewer";

/** A dashboard user as routes and pages see one. */
export interface SignedInUser {
  id: string;
  tenant: string;
  email: string;
  role: Role;
  /** Also manages tenants, plans, the catalogue and provider connections. */
  operator: boolean;
  /** When they last entered their password, milliseconds. */
  provenAt: number;
}

/** After this long, sensitive actions ask for the password again. */
export const RECENT_PASSWORD_MS = 15 * 60_000;

export function isPasswordRecent({ provenAt }: SignedInUser, now: number): boolean {
  return now - provenAt < RECENT_PASSWORD_MS;
}
