import { z } from "zod";
import { domainSchema } from "./agent.ts";
import { plainText } from "./plain_text.ts";

const MAX_VALUE = 8192;
/** Whatever looks like a secret is taken out of what tools answer: a short one would take out much. */
export const MIN_SECRET_LENGTH = 8;
const MAX_DOMAINS = 16;

/** The `NAME` of `{{secret.NAME}}`. */
export const toolSecretNameSchema = z.string().regex(
  /^[A-Z][A-Z0-9_]{0,63}$/,
  "must be upper-case letters, digits and _, beginning with a letter, at most 64 characters",
);

/** A tenant's secret as it is set. Source: CONTRACT section 2. */
export const newToolSecretSchema = z.strictObject({
  name: toolSecretNameSchema,
  value: plainText(
    z.string().min(MIN_SECRET_LENGTH, `must be at least ${MIN_SECRET_LENGTH} characters long`).max(
      MAX_VALUE,
    ),
  ),
  /** Where it may be sent: entries as of an agent's `allowedDomains`. */
  domains: z.array(domainSchema).min(1).max(MAX_DOMAINS).transform((all) => [...new Set(all)]),
  /** The one agent whose tools may send it; without one, those of any agent of the tenant. */
  agentId: z.uuid("must be an agent's id").toLowerCase().optional(),
});
export type NewToolSecret = z.output<typeof newToolSecretSchema>;

/** A secret as it is shown: never its value. */
export interface ToolSecretInfo {
  name: string;
  domains: string[];
  /** Set where one agent alone may use it. */
  agentId?: string;
  /** ISO 8601 UTC. */
  updatedAt: string;
}
