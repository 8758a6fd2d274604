import type { DeviceNotice } from "../store/users/account_security.ts";
import type { SignInDetails } from "../store/users/sign_in_details.ts";

/** What a user proves before sensitive actions: the strongest factor that they have. */
export type StepUp = "passkey" | "totp" | "password" | "provider";

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
  /** When they last entered their password or proved a stronger factor, milliseconds. */
  provenAt: number;
  /** What sensitive actions ask for. */
  stepUp: StepUp;
  /** The sign-in of this browser: `hash` is the SHA-256 of its cookie. */
  session: { hash: string; epoch: number; createdAt: number; details: SignInDetails };
  /** They need a second factor and have none: until then they may only add one. */
  mustAddFactor?: boolean;
  /** Sign-ins from new devices, until the user dismisses them. */
  notices?: readonly (DeviceNotice & { isDismissable: boolean })[];
  /** `false` for those who sign in with OpenID Connect only. */
  hasPassword?: boolean;
  /** Why and since when (milliseconds) the tenant is suspended: its users may only look. */
  suspension?: { at: number; reason: string };
  /** Who they are in the tenant of their account, if they look at another one. */
  account?: Pick<SignedInUser, "id" | "tenant" | "role" | "operator" | "suspension">;
}

/** The user whose password, factors and sessions these are: the same, unless they look at another tenant. */
export function accountOf({ account, suspension, ...user }: SignedInUser): SignedInUser {
  if (account === undefined) return { ...user, ...suspension && { suspension } };
  return { ...user, ...account };
}

/** After this long, sensitive actions ask for the password again. */
export const RECENT_PASSWORD_MS = 15 * 60_000;

export function isPasswordRecent({ provenAt }: SignedInUser, now: number): boolean {
  return now - provenAt < RECENT_PASSWORD_MS;
}
