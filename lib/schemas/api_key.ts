import { z } from "zod";
import { plainText } from "./plain_text.ts";
import { SCOPE_NAMES } from "./scopes.ts";

/** Bounds of what a key may be restricted to. */
export const MAX_KEY_AGENTS = 50;
export const MAX_KEY_ADDRESSES = 50;
export const MAX_KEY_PURPOSE = 200;

/** One address is stored as the network of that address alone. */
const range = z.string().trim().toLowerCase()
  .transform((text) => text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`)
  // The service reads an IPv4 address in IPv6 form as IPv4, so no such network would ever match.
  .refine((text) => !text.startsWith("::ffff:"), { error: "write this network as IPv4" })
  .pipe(z.union([z.cidrv4(), z.cidrv6()], {
    error: "must be an IP address, or a network such as 203.0.113.0/24 or 2001:db8::/32",
  }));

/** An absent list restricts nothing. */
export const keyRestrictionsSchema = z.strictObject({
  agents: z.array(z.uuid().toLowerCase()).min(1).max(MAX_KEY_AGENTS).optional(),
  addresses: z.array(range).min(1).max(MAX_KEY_ADDRESSES).optional(),
});

/** What a key may reach, and from where. */
export interface KeyRestrictions {
  /** Ids of agents. */
  agents?: string[] | undefined;
  /** Networks in CIDR notation. */
  addresses?: string[] | undefined;
}

export const newApiKeySchema = z.strictObject({
  name: z.string().trim().min(1).max(128),
  purpose: plainText(z.string().trim().min(1).max(MAX_KEY_PURPOSE)).optional(),
  scopes: z.array(z.enum(SCOPE_NAMES)).min(1),
  expiresAt: z.iso.datetime().optional(),
  ...keyRestrictionsSchema.shape,
});
export type NewApiKey = z.infer<typeof newApiKeySchema>;
