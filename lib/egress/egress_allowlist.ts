import { type BlockList, isIP } from "node:net";
import { createNetwork } from "./blocked_addresses.ts";

interface AllowedHost {
  host: string;
  /** `undefined` allows any port. */
  port: string | undefined;
}

type AllowedNetwork = { network: BlockList; family: 4 | 6 };

/** One parsed entry of `EGRESS_ALLOW`; without a tenant it applies to all. */
type AllowedTarget = (AllowedHost | AllowedNetwork) & { tenant: string | undefined };

/** `<tenant id>=target`; names of tenants are neither unique nor fixed. */
const TENANT_BOUND = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})=(.*)$/i;

/**
 * The operator's `EGRESS_ALLOW`: hosts and networks that tools may reach although they are private
 * or plain http. An agent's own `allowedDomains` still apply.
 */
export class EgressAllowlist {
  #targets: readonly AllowedTarget[];

  /** Each entry is `[<tenant id>=]` and `host[:port]`, `[v6]:port` or a network. Throws on others. */
  constructor(entries: readonly string[]) {
    this.#targets = entries.map((entry) => {
      const target = parseEgressAllowEntry(entry);
      if (target === undefined) throw new Error(`EGRESS_ALLOW has an unusable entry: ${entry}`);
      return target;
    });
  }

  permitsHost(url: URL, tenant: string): boolean {
    const host = url.hostname.replace(/\.$/, "");
    const port = url.port || (url.protocol === "http:" ? "80" : "443");
    return this.#targetsOf(tenant).some((target) =>
      "host" in target && target.host === host && (target.port ?? port) === port
    );
  }

  permitsAddress(address: string, tenant: string): boolean {
    const family = isIP(address);
    // BlockList matches v4 networks against mapped v6 addresses too; those are never allowed.
    return this.#targetsOf(tenant).some((target) =>
      "network" in target && target.family === family &&
      target.network.check(address, family === 4 ? "ipv4" : "ipv6")
    );
  }

  /** Whether names may be permitted by the addresses that they resolve to. */
  hasNetworks(tenant: string): boolean {
    return this.#targetsOf(tenant).some((target) => "network" in target);
  }

  #targetsOf(tenant: string): AllowedTarget[] {
    return this.#targets.filter((target) => (target.tenant ?? tenant) === tenant);
  }
}

/** `undefined` if the entry is malformed. */
export function parseEgressAllowEntry(entry: string): AllowedTarget | undefined {
  const bound = TENANT_BOUND.exec(entry);
  const target = parseTarget(bound?.[2] ?? entry);
  return target && { ...target, tenant: bound?.[1]?.toLowerCase() };
}

function parseTarget(entry: string): AllowedHost | AllowedNetwork | undefined {
  const slash = entry.indexOf("/");
  if (slash !== -1) return parseNetwork(entry.slice(0, slash), entry.slice(slash + 1));
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(entry);
  const url = match?.[1] === undefined ? null : URL.parse(`http://${match[1]}/`);
  const port = match?.[2];
  if (url === null || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  return {
    host: url.hostname.replace(/\.$/, ""),
    port: port === undefined ? undefined : `${Number(port)}`,
  };
}

function parseNetwork(net: string, bits: string): AllowedNetwork | undefined {
  const family = isIP(net);
  if (family === 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  if (Number(bits) > (family === 4 ? 32 : 128)) return undefined;
  return { network: createNetwork(net, Number(bits)), family: family === 4 ? 4 : 6 };
}
