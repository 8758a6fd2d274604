import type { Runtime } from "../platform/runtime.ts";
import { isDomainAllowed } from "../schemas/domains.ts";
import { blockedAddressReason } from "./blocked_addresses.ts";
import type { EgressAllowlist } from "./egress_allowlist.ts";
import { EgressError } from "./egress_error.ts";
import { isAddressLiteral, resolveHost, type Resolver } from "./resolve_host.ts";

/** The limit of DNS. Longer names, from redirects, would bloat messages and the call log. */
const MAX_HOST_LENGTH = 253;

/** Why a host was rejected; for the operator's log only. */
export type TargetRejection = { tenant: string; host: string; reason: string };

export interface TargetRules {
  allow: EgressAllowlist;
  allowedDomains: readonly string[];
  tenant: string;
  resolver: Resolver;
  runtime: Pick<Runtime, "now" | "sleep">;
  /** Rejections of host names take a multiple of this many milliseconds. */
  rejectionMs: number;
  onRejected: (rejection: TargetRejection) => void;
  signal: AbortSignal;
}

/**
 * Resolves `url` to addresses that may be connected to. Throws `domain_not_allowed` for what the agent
 * or the service forbids. One forbidden address is enough, because the owner of the name decides which
 * of them a client uses.
 *
 * A name at a private address and one that does not resolve give the same error after the same time,
 * so that agents cannot map the network of the service.
 */
export async function checkTarget(url: URL, rules: TargetRules): Promise<string[]> {
  const plain = url.protocol === "http:";
  if (!plain && url.protocol !== "https:") {
    reject(`${url.protocol} is not a scheme that tools may use`);
  }
  if (url.username !== "" || url.password !== "") reject("a URL must not hold credentials");
  if (url.hostname.length > MAX_HOST_LENGTH) reject("the host's name is too long");
  if (!isDomainAllowed(url, rules.allowedDomains)) {
    reject(`the host ${url.host} is not in allowedDomains`);
  }
  const { runtime, tenant } = rules;
  const startedAt = runtime.now();
  const addresses = await resolveHost(url, rules);
  const reason = rejectionReason(url, { addresses, rules });
  if (reason === undefined) return addresses;
  rules.onRejected({ tenant, host: url.host, reason });
  if (!isAddressLiteral(url)) await padDelay(runtime.now() - startedAt, rules);
  if (plain && !rules.allow.permitsHost(url, tenant)) reject("only https may be used");
  reject(`the host ${url.host} has no address that tools may connect to`);
}

function rejectionReason(
  url: URL,
  { addresses, rules }: { addresses: readonly string[]; rules: TargetRules },
): string | undefined {
  const { allow, tenant } = rules;
  if (addresses.length === 0) return "it does not resolve";
  if (allow.permitsHost(url, tenant)) return undefined;
  for (const address of addresses) {
    if (allow.permitsAddress(address, tenant)) continue;
    if (url.protocol === "http:") return "it is plain http";
    const why = blockedAddressReason(address);
    if (why !== undefined) return `it is at ${why}`;
  }
  return undefined;
}

/** Hides the duration of the lookup, which would reveal whether the name exists. */
async function padDelay(
  passedMs: number,
  { rejectionMs, runtime, signal }: TargetRules,
): Promise<void> {
  if (rejectionMs === 0) return;
  await runtime.sleep(rejectionMs - Math.max(0, passedMs) % rejectionMs, signal);
}

function reject(message: string): never {
  throw new EgressError("domain_not_allowed", message);
}
