import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { abortable } from "../platform/abortable.ts";

export type Resolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

export function isAddressLiteral(url: URL): boolean {
  return isIP(withoutBrackets(url)) !== 0;
}

/**
 * Resolves the host of a URL; empty if it does not resolve. The call connects to these addresses
 * without another lookup, which defeats DNS rebinding. IPv4 comes first, because machines often have
 * no working IPv6 route.
 */
export async function resolveHost(
  url: URL,
  { resolver, signal }: { resolver: Resolver; signal: AbortSignal },
): Promise<string[]> {
  if (isAddressLiteral(url)) return [withoutBrackets(url)];
  const addresses = await abortable(resolver(url.hostname), signal).catch(() => {
    signal.throwIfAborted();
    return [];
  });
  if (addresses.some((address) => isIP(address) === 0)) return [];
  return [...addresses].sort((a, b) => isIP(a) - isIP(b));
}

function withoutBrackets(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}
