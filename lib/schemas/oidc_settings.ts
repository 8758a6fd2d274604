import { z } from "zod";
import { isLoopbackHost } from "./origins.ts";

export const OIDC_ROLES = ["owner", "admin", "viewer"] as const;
const MAX_ENTRIES = 50;

/** How people of a tenant sign in at its own OpenID Connect provider. */
export const oidcSettingsSchema = z.strictObject({
  issuer: z.string().max(500).refine(isIssuer, "Enter an https address without query."),
  clientId: z.string().min(1, "Enter the client ID.").max(255),
  /** Without one, this service is a public client. */
  clientSecret: z.string().min(1).max(1_000).optional(),
  /** Separated by spaces. */
  scopes: z.string().max(500).refine(
    (scopes) => scopes.split(/\s+/).includes("openid"),
    "The scopes must include openid.",
  ),
  /** The claim of the ID token that gives roles. */
  roleClaim: z.string().min(1).max(255).optional(),
  roleMap: z.array(z.strictObject({ value: z.string().min(1).max(255), role: z.enum(OIDC_ROLES) }))
    .max(MAX_ENTRIES, `Enter at most ${MAX_ENTRIES} lines.`),
  /** The role of people without a matching entry; without it they are rejected. */
  defaultRole: z.enum(OIDC_ROLES).optional(),
  /** Lower-cased; empty for any. */
  emailDomains: z.array(z.string().max(253).regex(/^[a-z0-9.-]+$/, "Enter domains only."))
    .max(MAX_ENTRIES, `Enter at most ${MAX_ENTRIES} domains.`),
  trustsEmail: z.boolean(),
  trustsFactors: z.boolean(),
});
export type OidcSettings = z.infer<typeof oidcSettingsSchema>;

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  if (search !== "" || hash !== "" || username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}
