import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** All addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** The machine's own resolver. */
export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** Whether the URL's host is an address already. */
export function isAddressLiteral(url: URL): boolean {
  return isIP(withoutBrackets(url)) !== 0;
}

/**
 * The addresses behind a URL's host, none when it does not resolve. It is asked for once: what is
 * checked is what is connected to, so a name that answers otherwise the second time gains nothing. A
 * literal is its own address. IPv4 comes first, because a machine without a working IPv6 route is the
 * usual misfortune.
 */
export async function resolveHost(
  url: URL,
  { resolver, signal }: { resolver: Resolver; signal: AbortSignal },
): Promise<string[]> {
  if (isAddressLiteral(url)) return [withoutBrackets(url)];
  const addresses = await rejectOnAbort(resolver(url.hostname), signal).catch(() => {
    signal.throwIfAborted();
    return [];
  });
  if (addresses.some((address) => isIP(address) === 0)) return [];
  return [...addresses].sort((a, b) => isIP(a) - isIP(b));
}

function withoutBrackets(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** A lookup cannot be called off, so its answer is left behind. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}
