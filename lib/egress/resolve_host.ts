import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { EgressError } from "./egress_error.ts";

/** All addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** The machine's own resolver. */
export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/**
 * The addresses behind a URL's host, asked for once: what is checked is what is connected to, so a
 * name that answers otherwise the second time gains nothing. A literal is its own address. IPv4
 * comes first, because a machine without a working IPv6 route is the usual misfortune.
 */
export async function resolveHost(
  url: URL,
  { resolver, signal }: { resolver: Resolver; signal: AbortSignal },
): Promise<string[]> {
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0) return [literal];
  const addresses = await orAborted(resolver(url.hostname), signal).catch((cause) => {
    signal.throwIfAborted();
    throw new EgressError("tool_unreachable", `${url.hostname} could not be resolved`, { cause });
  });
  if (addresses.length === 0 || addresses.some((address) => isIP(address) === 0)) {
    throw new EgressError("tool_unreachable", `${url.hostname} has no address`);
  }
  return [...addresses].sort((a, b) => isIP(a) - isIP(b));
}

/** A lookup cannot be called off, so its answer is left behind. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}
