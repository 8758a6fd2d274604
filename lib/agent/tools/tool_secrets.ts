import { isDomainAllowed } from "../../schemas/domains.ts";
import type { Redactor } from "./redactor.ts";
import { secretNames } from "./template.ts";
import { ToolError } from "./tool_error.ts";

/** A tenant's secret and the (normalized) domains that may receive it. */
export interface ToolSecret {
  value: string;
  domains: readonly string[];
  /** The only agent that may use it; any agent of the tenant if absent. */
  agentId?: string;
}

/** Finds a secret of the tenant by name. */
export type FindSecret = (name: string) => ToolSecret | undefined | Promise<ToolSecret | undefined>;

/**
 * Resolves the secrets named in `template` for a call to `url`, and adds them to the redactor. Throws a
 * `ToolError` if a secret is missing, belongs to another agent or may not be sent to that host.
 */
export async function resolveSecrets(
  template: unknown,
  url: URL,
  { findSecret, redactor, agentId }: {
    findSecret: FindSecret;
    redactor: Redactor;
    agentId?: string | undefined;
  },
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const name of secretNames(template)) {
    const secret = await findSecret(name);
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
