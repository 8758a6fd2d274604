import type { Logger } from "../platform/log.ts";

/** The maximum value of `TRUSTED_PROXY_HOPS`. */
const MAX_HOPS = 16;

/** Describes the source of client addresses, for the startup log. */
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

  /** What to set `TRUSTED_PROXY_HOPS` to, once a proxy has been noticed. */
  get suggestedHops(): number | undefined {
    return this.#suggestedHops;
  }

  /**
   * Warns of the first `X-Forwarded-For`, and again when one is shorter: a client may send entries of its
   * own, so the shortest list is the nearest to the number of proxies.
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
