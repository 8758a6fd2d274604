import type { Logger } from "../platform/log.ts";

/** The largest `TRUSTED_PROXY_HOPS`. */
const MAX_HOPS = 16;

/** For the startup log. */
export function describeClientAddressSource(hops: number): string {
  const setting = `TRUSTED_PROXY_HOPS is ${hops}`;
  if (hops === 0) return `the connection, because ${setting}`;
  return `entry ${hops} from the right of X-Forwarded-For, because ${setting}; ` +
    "where there are fewer, from the connection";
}

/**
 * Detects an unconfigured proxy. With an https `PUBLIC_URL` there is one in front; while
 * `TRUSTED_PROXY_HOPS` is 0, all visitors behind it share one address and its limits.
 */
export class ProxyDetector {
  readonly #log: Pick<Logger, "warn">;
  readonly #enabled: boolean;
  #suggestedHops: number | undefined;

  constructor(
    { trustedProxyHops, publicUrl }: { trustedProxyHops: number; publicUrl?: string | undefined },
    log: Pick<Logger, "warn">,
  ) {
    this.#log = log;
    this.#enabled = trustedProxyHops === 0 && (publicUrl?.startsWith("https:") ?? false);
  }

  get suggestedHops(): number | undefined {
    return this.#suggestedHops;
  }

  /**
   * Warns about the first `X-Forwarded-For`, and again about a shorter one: clients can add entries, so
   * the shortest list is closest to the number of proxies.
   */
  check(req: Request): void {
    if (!this.#enabled) return;
    const entries = (req.headers.get("x-forwarded-for") ?? "").split(",")
      .filter((entry) => entry.trim() !== "").length;
    const hops = Math.min(entries, MAX_HOPS);
    if (hops === 0 || hops >= (this.#suggestedHops ?? Infinity)) return;
    this.#suggestedHops = hops;
    this.#log.warn(
      "received X-Forwarded-For while TRUSTED_PROXY_HOPS is 0, so all visitors behind the proxy count as " +
        `one address. Set TRUSTED_PROXY_HOPS=${hops} if that is how many proxies you run in front of ` +
        "the service; with a larger number clients could forge their address",
      { suggestedHops: hops },
    );
  }
}

/**
 * The address that limits and lockouts count: the connection's, or with `hops` trusted proxies the
 * `hops`-th from the right of `X-Forwarded-For`. A shorter list means that the request bypassed a proxy,
 * so the connection's address is used.
 */
export function clientAddress(req: Request, addr: Deno.Addr, hops: number): string {
  const connection = "hostname" in addr ? normalizeAddress(addr.hostname) : "local";
  if (hops === 0) return connection;
  const forwarded = (req.headers.get("x-forwarded-for") ?? "").split(",").map((s) => s.trim());
  const entry = forwarded.length >= hops ? forwarded[forwarded.length - hops] : undefined;
  return entry === undefined || entry === "" ? connection : normalizeAddress(entry);
}

/** Removes brackets and port; an IPv4-mapped IPv6 address becomes IPv4. */
function normalizeAddress(address: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ??
    /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare.toLowerCase();
}
