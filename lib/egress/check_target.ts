import type { Runtime } from "../platform/runtime.ts";
import { isDomainAllowed } from "../schemas/domains.ts";
import { refusedAddress } from "./addresses.ts";
import type { EgressAllow } from "./egress_allow.ts";
import { EgressError } from "./egress_error.ts";
import { isLiteral, resolveHost, type Resolver } from "./resolve_host.ts";

/** A name of DNS is no longer; one that a redirect spells out fills messages and the ledger. */
const MAX_HOST_LENGTH = 253;

/** Why a host was refused, for the operator's log alone. */
export interface TargetRefusal {
  tenant: string;
  host: string;
  reason: string;
}

export interface TargetRules {
  allow: EgressAllow;
  allowedDomains: readonly string[];
  /** The tenant that makes the call. */
  tenant: string;
  resolver: Resolver;
  runtime: Pick<Runtime, "now" | "sleep">;
  /** The refusal of a name takes a whole multiple of this, milliseconds. */
  refusalMs: number;
  onRefused: (refusal: TargetRefusal) => void;
  signal: AbortSignal;
}

/**
 * The addresses that may be connected to for `url`, every one of them checked. Throws
 * `domain_not_allowed` for what the agent or the service forbids; one forbidden address among many
 * is enough, since whoever controls the name chooses which of them is used.
 *
 * A name at a private address and one that does not resolve are refused with the same error and after
 * the same time, so that agents cannot map the network that the service runs in.
 */
export async function checkTarget(url: URL, rules: TargetRules): Promise<string[]> {
  const plain = url.protocol === "http:";
  if (!plain && url.protocol !== "https:") refuse(`${url.protocol} is not a scheme of tools`);
  if (url.username !== "" || url.password !== "") refuse("a URL must not hold credentials");
  if (url.hostname.length > MAX_HOST_LENGTH) refuse("the host's name is too long");
  if (!isDomainAllowed(url, rules.allowedDomains)) {
    refuse(`the host ${url.host} is not in allowedDomains`);
  }
  const { runtime, tenant } = rules;
  const begun = runtime.now();
  const addresses = await resolveHost(url, rules);
  const reason = refusalReason(url, { addresses, rules });
  if (reason === undefined) return addresses;
  rules.onRefused({ tenant, host: url.host, reason });
  if (!isLiteral(url)) await waitOut(runtime.now() - begun, rules);
  if (plain && !rules.allow.permitsHost(url, tenant)) refuse("only https may be used");
  refuse(`the host ${url.host} has no address that tools may connect to`);
}

function refusalReason(
  url: URL,
  { addresses, rules }: { addresses: readonly string[]; rules: TargetRules },
): string | undefined {
  const { allow, tenant } = rules;
  if (addresses.length === 0) return "it does not resolve";
  if (allow.permitsHost(url, tenant)) return undefined;
  for (const address of addresses) {
    if (allow.permitsAddress(address, tenant)) continue;
    if (url.protocol === "http:") return "it is plain http";
    const why = refusedAddress(address);
    if (why !== undefined) return `it is at ${why}`;
  }
  return undefined;
}

/** Hides how long the lookup took, which would reveal whether the name exists. */
async function waitOut(
  passedMs: number,
  { refusalMs, runtime, signal }: TargetRules,
): Promise<void> {
  if (refusalMs === 0) return;
  await runtime.sleep(refusalMs - Math.max(0, passedMs) % refusalMs, signal);
}

function refuse(message: string): never {
  throw new EgressError("domain_not_allowed", message);
}
