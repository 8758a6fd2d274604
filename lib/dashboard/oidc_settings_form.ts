import { type OidcSettings, oidcSettingsSchema } from "../schemas/oidc_settings.ts";
import { msg, t } from "./texts/translate.ts";

/** The fields as typed; `clientSecret` is never shown again. */
export interface OidcSettingsInput {
  issuer: string;
  clientId: string;
  scopes: string;
  roleClaim: string;
  /** One `value=role` a line. */
  roles: string;
  defaultRole: string;
  emailDomains: string;
  trustsEmail: boolean;
  trustsFactors: boolean;
}
export type OidcSettingsIssues = Partial<Record<keyof OidcSettingsInput | "clientSecret", string>>;

export const NO_OIDC_SETTINGS: OidcSettingsInput = {
  ...{ issuer: "", clientId: "", scopes: "openid email profile", roleClaim: "", roles: "" },
  ...{ defaultRole: "viewer", emailDomains: "", trustsEmail: false, trustsFactors: false },
};

const MESSAGES: OidcSettingsIssues = {
  issuer: msg("Enter the issuer as an https address, without query."),
  clientId: msg("Enter the client ID."),
  clientSecret: msg("Enter at most 1,000 characters."),
  scopes: msg("Enter scopes separated by spaces; openid must be one of them."),
  roleClaim: msg("Enter the name of a claim."),
  roles: msg("Enter one line for each role, such as chat-admins=owner, at most 50."),
  defaultRole: msg("Choose a role."),
  emailDomains: msg("Enter domains such as example.com, at most 50."),
};
const FIELDS: Readonly<Record<string, keyof OidcSettingsIssues>> = { roleMap: "roles" };

export function readOidcSettings(form: URLSearchParams): OidcSettingsInput {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    ...{ issuer: text("issuer"), clientId: text("clientId"), scopes: text("scopes") },
    ...{ roleClaim: text("roleClaim"), roles: text("roles"), defaultRole: text("defaultRole") },
    emailDomains: text("emailDomains"),
    trustsEmail: form.has("trustsEmail"),
    trustsFactors: form.has("trustsFactors"),
  };
}

export function toOidcSettingsInput(settings: OidcSettings): OidcSettingsInput {
  const { issuer, clientId, scopes, roleClaim, roleMap, defaultRole } = settings;
  return {
    ...{ issuer, clientId, scopes, roleClaim: roleClaim ?? "", defaultRole: defaultRole ?? "" },
    roles: roleMap.map(({ value, role }) => `${value}=${role}`).join("\n"),
    emailDomains: settings.emailDomains.join(", "),
    trustsEmail: settings.trustsEmail,
    trustsFactors: settings.trustsFactors,
  };
}

/**
 * The settings of a form. A blank secret keeps the earlier one, but never for another issuer or client: that
 * would send it there.
 */
export function parseOidcSettings(
  input: OidcSettingsInput,
  { clientSecret, before, isUnreadable = false }: {
    clientSecret: string;
    before: OidcSettings | undefined;
    /** The stored secret cannot be read. */
    isUnreadable?: boolean;
  },
): { settings: OidcSettings } | { issues: OidcSettingsIssues } {
  if (clientSecret === "" && isUnreadable) {
    return { issues: { clientSecret: t("The stored secret cannot be read. Enter it again.") } };
  }
  const isSameClient = before?.issuer === input.issuer && before.clientId === input.clientId;
  if (clientSecret === "" && before?.clientSecret !== undefined && !isSameClient) {
    return { issues: { clientSecret: t("Enter the secret again for another issuer or client.") } };
  }
  const secret = clientSecret || before?.clientSecret;
  const roleMap = linesOf(input.roles).map((line) => {
    const at = line.lastIndexOf("=");
    return { value: line.slice(0, at).trim(), role: line.slice(at + 1).trim() };
  });
  const parsed = oidcSettingsSchema.safeParse({
    ...{ issuer: input.issuer, clientId: input.clientId, roleMap },
    scopes: input.scopes.split(/\s+/).join(" "),
    ...secret !== undefined && { clientSecret: secret },
    ...input.roleClaim !== "" && { roleClaim: input.roleClaim },
    ...input.defaultRole !== "" && { defaultRole: input.defaultRole },
    emailDomains: input.emailDomains.toLowerCase().split(/[\s,]+/).filter(Boolean),
    trustsEmail: input.trustsEmail,
    trustsFactors: input.trustsFactors,
  });
  if (parsed.success) return { settings: parsed.data };
  const issues: OidcSettingsIssues = {};
  for (const { path } of parsed.error.issues) {
    const name = String(path[0]);
    const field = FIELDS[name] ?? name as keyof OidcSettingsIssues;
    issues[field] = t(MESSAGES[field] ?? "");
  }
  return { issues };
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
