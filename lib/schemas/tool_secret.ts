import { z } from "zod";
import { domainSchema } from "./agent.ts";
import { plainText } from "./plain_text.ts";

/** Secrets are redacted from tool results, so a short one would redact too much. */
export const MIN_SECRET_LENGTH = 8;

/** The `NAME` of `{{secret.NAME}}`. */
export const toolSecretNameSchema = z.string().regex(
  /^[A-Z][A-Z0-9_]{0,63}$/,
  "must be upper-case letters, digits and _, starting with a letter, at most 64 characters",
);

/** A new secret of a tenant. Source: CONTRACT section 2. */
export const newToolSecretSchema = z.strictObject({
  name: toolSecretNameSchema,
  value: plainText(
    z.string().max(8192)
      .min(MIN_SECRET_LENGTH, `must be at least ${MIN_SECRET_LENGTH} characters long`),
  ),
  /** Where it may be sent; entries as in an agent's `allowedDomains`. */
  domains: z.array(domainSchema).min(1).max(16).transform((all) => [...new Set(all)]),
  /** The only agent whose tools may send it; by default every agent of the tenant. */
  agentId: z.uuid("must be an agent's id").toLowerCase().optional(),
});
export type NewToolSecret = z.output<typeof newToolSecretSchema>;

/** A secret without its value. */
export interface ToolSecretInfo {
  name: string;
  domains: string[];
  agentId?: string;
  /** ISO 8601 UTC. */
  updatedAt: string;
}
