import { z } from "zod";
import type { Role } from "../signed_in_user.ts";
import { normalizeEmail } from "../credential_rules.ts";
import type { OidcConfig } from "./oidc_config.ts";
import { OidcError } from "./oidc_error.ts";

/** The claims of a validated ID token that this service reads. */
export const idClaimsSchema = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  exp: z.number(),
  sid: z.string().max(1_024).optional(),
  /** How the provider authenticated the person (RFC 8176); ignored if it is not a list of names. */
  amr: z.array(z.string()).optional().catch(undefined),
  auth_time: z.number().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});
export type IdClaims = z.infer<typeof idClaimsSchema>;

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, admin: 1, owner: 2 };

/** The highest role that the claim gives; `undefined` if no entry of the map fits. */
export function mappedRole(
  claims: IdClaims,
  { roleClaim, roleMap }: Pick<OidcConfig, "roleClaim" | "roleMap">,
): Role | undefined {
  const claim = roleClaim === undefined ? undefined : claims[roleClaim];
  const values = new Set([claim].flat());
  const roles = roleMap.filter(({ value }) => values.has(value)).map(({ role }) => role);
  return roles.sort((a, b) => RANKS[b] - RANKS[a])[0];
}

/** The address of a new user. Throws `OidcError` unless the provider verified it and it is allowed. */
export function newUserEmail(
  claims: IdClaims,
  { trustsEmail, emailDomains }: Pick<OidcConfig, "trustsEmail" | "emailDomains">,
): string {
  const email = normalizeEmail(claims.email ?? "");
  const isVerified = claims.email_verified ?? trustsEmail;
  if (email === undefined || !isVerified) throw new OidcError("email_unverified");
  const domain = email.slice(email.lastIndexOf("@") + 1);
  if (emailDomains.length > 0 && !emailDomains.includes(domain)) {
    throw new OidcError("not_allowed", { detail: "domain of the address" });
  }
  return email;
}
