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
