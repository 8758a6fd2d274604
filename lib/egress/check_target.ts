import { isDomainAllowed } from "../wire/domains.ts";
import { refusedAddress } from "./addresses.ts";
import type { EgressAllow } from "./egress_allow.ts";
import { EgressError } from "./egress_error.ts";
import { resolveHost, type Resolver } from "./resolve_host.ts";

/** A name of DNS is no longer; one that a redirect spells out fills messages and the ledger. */
const MAX_HOST_LENGTH = 253;

export interface TargetRules {
  allow: EgressAllow;
  allowedDomains: readonly string[];
  resolver: Resolver;
  signal: AbortSignal;
}

/**
 * The addresses that may be connected to for `url`, every one of them checked. Throws
 * `domain_not_allowed` for what the agent or the service forbids; one forbidden address among many
 * is enough, since whoever controls the name chooses which of them is used.
 */
export async function checkTarget(url: URL, rules: TargetRules): Promise<string[]> {
  const plain = url.protocol === "http:";
  if (!plain && url.protocol !== "https:") refuse(`${url.protocol} is not a scheme of tools`);
  if (url.username !== "" || url.password !== "") refuse("a URL must not hold credentials");
  if (url.hostname.length > MAX_HOST_LENGTH) refuse("the host's name is too long");
  if (!isDomainAllowed(url, rules.allowedDomains)) {
    refuse(`the host ${url.host} is not in allowedDomains`);
  }
  const addresses = await resolveHost(url, rules);
  if (rules.allow.permitsHost(url)) return addresses;
  for (const address of addresses) {
    if (rules.allow.permitsAddress(address)) continue;
    if (plain) refuse("only https may be used");
    const why = refusedAddress(address);
    if (why !== undefined) refuse(`the host ${url.host} is at ${why}`);
  }
  return addresses;
}

function refuse(message: string): never {
  throw new EgressError("domain_not_allowed", message);
}
