import { blockedAddressReason } from "../../egress/blocked_addresses.ts";
import type { EgressAllowlist } from "../../egress/egress_allowlist.ts";
import { isDomainAllowed } from "../../schemas/domains.ts";
import type { ToolProblem } from "./tool_problem.ts";
import { t } from "../texts/translate.ts";

export interface ReachRules {
  allowedDomains: readonly string[];
  tenant: string;
  allow: EgressAllowlist;
  /** The user may change `EGRESS_ALLOW`. */
  isOperator: boolean;
}

/**
 * Why calls to a URL would be rejected, and which setting allows them. Resolves no names: a name at a
 * private address and one that does not exist must look the same to everybody but the operator.
 */
export function findReachProblem(
  target: { url: URL; path: string } | undefined,
  rules: ReachRules,
): Omit<ToolProblem, "tool"> | undefined {
  if (target === undefined || !/^https?:$/.test(target.url.protocol)) return undefined;
  const { url, path } = target;
  if (!isDomainAllowed(url, rules.allowedDomains)) {
    const message = t("{host} is not in the allowed domains.", { host: url.host });
    return { path, message, allow: url.host };
  }
  const message = networkMessage(url, rules);
  if (message === undefined) return undefined;
  return { path, message, isWarning: true, blockedHost: url.host };
}

function networkMessage(url: URL, rules: ReachRules): string | undefined {
  const { allow, tenant, isOperator } = rules;
  const { host } = url;
  const address = addressOf(url);
  if (allow.permitsHost(url, tenant)) return undefined;
  // A name may resolve to an address of an allowed network.
  if (address === undefined && allow.hasNetworks(tenant)) return undefined;
  if (address !== undefined && allow.permitsAddress(address, tenant)) return undefined;
  const reason = address === undefined ? undefined : blockedAddressReason(address);
  if (reason !== undefined) {
    return isOperator
      ? t("{host} is {reason}, which tools may not call. To allow it, set EGRESS_ALLOW.", {
        host,
        reason,
      })
      : t(
        "{host} is {reason}, which tools may not call. Ask the operator to add it to EGRESS_ALLOW.",
        { host, reason },
      );
  }
  if (url.protocol === "https:") return undefined;
  return isOperator
    ? t("Tools call {host} only over https. Use https://, or set EGRESS_ALLOW.", { host })
    : t(
      "Tools call {host} only over https. Use https://, or ask the operator to add it to EGRESS_ALLOW.",
      { host },
    );
}

/** The address that a URL names literally; `localhost` always means this machine. */
function addressOf({ hostname }: URL): string | undefined {
  if (/^(.+\.)?localhost\.?$/.test(hostname)) return "127.0.0.1";
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return /^[\d.]+$/.test(hostname) ? hostname : undefined;
}
