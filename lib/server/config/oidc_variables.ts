import { OIDC_ROLES } from "../../schemas/oidc_settings.ts";
import { z } from "zod";
import type { OidcConfig } from "../../services/oidc/oidc_config.ts";
import { httpUrlSchema } from "../../schemas/http_url.ts";
import * as schemas from "./value_schemas.ts";

const ROLE_ENTRY = /^(.{1,200})=(owner|admin|viewer)$/;

/** Sign-in with OpenID Connect for the installation. */
export const OIDC_VARIABLES = {
  issuer: {
    name: "OIDC_ISSUER",
    purpose: "issuer of the OpenID Connect provider at which people sign in to the dashboard",
    type: "URL, exactly as the provider's discovery document states it",
    unset: "people sign in with passwords only",
    example: "https://login.example.com",
    // As it is written: a trailing slash is part of an issuer.
    schema: schemas.text.refine(
      (value) => httpUrlSchema.safeParse(value).success,
      "must be a full http:// or https:// address without query",
    ).optional(),
  },
  clientId: {
    name: "OIDC_CLIENT_ID",
    purpose: "client id of this service at the OpenID Connect provider",
    type: "text",
    unset: "needed with `OIDC_ISSUER`",
    example: "agent-chat",
    schema: schemas.text.optional(),
  },
  clientSecret: {
    name: "OIDC_CLIENT_SECRET",
    purpose: "client secret of this service at the OpenID Connect provider",
    type: "text",
    unset: "this service is a public client",
    example: "<client secret>",
    secret: true,
    schema: schemas.text.optional(),
  },
  scopes: {
    name: "OIDC_SCOPES",
    purpose: "scopes to ask the OpenID Connect provider for; many providers give a refresh token " +
      "only with `offline_access`",
    type: "words separated by spaces, with `openid`",
    example: "openid email offline_access",
    schema: schemas.text.refine(
      (value) => value.split(/\s+/).includes("openid"),
      "must contain openid",
    ).default("openid email profile"),
  },
  roleClaim: {
    name: "OIDC_ROLE_CLAIM",
    purpose: "claim of the ID token, a text or a list, that `OIDC_ROLES` reads at each sign-in",
    type: "text",
    unset: "roles are set in the dashboard",
    example: "groups",
    schema: schemas.text.optional(),
  },
  roleMap: {
    name: "OIDC_ROLES",
    purpose: "which values of the role claim give which role; the highest one counts",
    type: "comma list of `<value>=owner`, `<value>=admin` or `<value>=viewer`",
    unset: "none",
    example: "chat-admins=owner,support=admin",
    schema: schemas.listValue(
      z.string().regex(ROLE_ENTRY, "entries must be <value>=owner, =admin or =viewer"),
    ).default([]),
  },
  defaultRole: {
    name: "OIDC_DEFAULT_ROLE",
    purpose: "role of people without a matching entry in `OIDC_ROLES`",
    type: "`owner`, `admin` or `viewer`",
    unset: "such people are rejected",
    example: "viewer",
    schema: schemas.choiceValue(OIDC_ROLES).optional(),
  },
  emailDomains: {
    name: "OIDC_EMAIL_DOMAINS",
    purpose: "domains that the e-mail address of a new user may have",
    type: "comma list of domains",
    unset: "any",
    example: "example.com",
    schema: schemas.listValue(z.string().regex(/^[\w.-]+$/, "entries must be domains")).default([]),
  },
  trustsEmail: {
    name: "OIDC_TRUST_EMAIL",
    purpose: "whether addresses of the provider are right although it does not say that it " +
      "verified them",
    type: "`on` or `off`",
    unset: "`off`: new users need `email_verified`",
    example: "on",
    schema: schemas.onOff.default(false),
  },
  trustsFactors: {
    name: "OIDC_TRUST_FACTORS",
    purpose: "whether every sign-in at the provider counts as one with a second factor",
    type: "`on` or `off`",
    unset: "`off`: only those whose ID token says so (`mfa` in `amr`)",
    example: "on",
    schema: schemas.onOff.default(false),
  },
  tenant: {
    name: "OIDC_TENANT",
    purpose: "id of the tenant that new users join",
    type: "UUID",
    unset: "the default tenant",
    example: "3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d",
    schema: z.uuid("must be the id of a tenant").optional(),
  },
} as const;

type Values = { [K in keyof typeof OIDC_VARIABLES]: z.output<typeof OIDC_VARIABLES[K]["schema"]> };

/** The configuration of a provider. */
export function toOidcConfig(
  { issuer, clientId, ...values }: Values & { issuer: string; clientId: string },
): OidcConfig {
  return Object.freeze({
    ...values,
    ...{ issuer, clientId },
    scopes: values.scopes.split(/\s+/).join(" "),
    roleMap: values.roleMap.map((entry) => {
      const [, value = "", role] = ROLE_ENTRY.exec(entry)!;
      return { value, role: role as OidcConfig["roleMap"][number]["role"] };
    }),
    emailDomains: values.emailDomains.map((domain) => domain.toLowerCase()),
  });
}
