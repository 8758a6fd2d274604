import { isDomainAllowed } from "../../schemas/domains.ts";
import type { Redactor } from "./redactor.ts";
import { secretNames } from "./template.ts";
import { ToolError } from "./tool_error.ts";

/** A tenant's secret, the (normalised) domains it may be sent to, and by which agent. */
export interface ToolSecret {
  value: string;
  domains: readonly string[];
  /** Any agent of the tenant, when it is left out. */
  agentId?: string;
}

/** Finds a secret by name, among the tenant's own. */
export type FindSecret = (
  name: string,
) => ToolSecret | undefined | Promise<ToolSecret | undefined>;

/**
 * The secrets that `template` names, by name, for a call to `url` on behalf of the agent `agentId`;
 * one that is not stored yet has no id. Each is noted in `redactor` before it is used. Throws when one
 * is not set, is another agent's, or may not go to that host.
 */
export async function resolveSecrets(
  template: unknown,
  { url, find, redactor, agentId }: {
    url: URL;
    find: FindSecret;
    redactor: Redactor;
    agentId: string | undefined;
  },
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const name of secretNames(template)) {
    const secret = await find(name);
    if (secret === undefined) {
      throw new ToolError("tool_unreachable", `the secret ${name} is not set`);
    }
    if (secret.agentId !== undefined && secret.agentId !== agentId) {
      throw new ToolError("tool_unreachable", `the secret ${name} is bound to another agent`);
    }
    if (!isDomainAllowed(url, secret.domains)) {
      const message = `the secret ${name} may not be sent to ${url.host}`;
      throw new ToolError("domain_not_allowed", message);
    }
    redactor.add(secret.value);
    values.set(name, secret.value);
  }
  return values;
}
