import type { Role } from "../signed_in_user.ts";

/** Sign-in with OpenID Connect as the environment configures it for the installation. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Without one, this service is a public client. */
  readonly clientSecret?: string | undefined;
  /** Separated by spaces; with `openid`. */
  readonly scopes: string;
  /** The claim of the ID token that `roleMap` reads. */
  readonly roleClaim?: string | undefined;
  readonly roleMap: readonly { value: string; role: Role }[];
  /** For new users and for users without a matching entry in `roleMap`; without it they are rejected. */
  readonly defaultRole?: Role | undefined;
  /** Lower-cased domains of new users' addresses; empty for any. */
  readonly emailDomains: readonly string[];
  /** The provider's addresses are right even if it does not say that they are verified. */
  readonly trustsEmail: boolean;
  /** Every sign-in at the provider counts as one with a second factor. */
  readonly trustsFactors: boolean;
  /** The tenant that new users join; the default one if unset. */
  readonly tenant?: string | undefined;
}
