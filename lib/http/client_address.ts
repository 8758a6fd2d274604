/**
 * The address that limits and lockouts count: the connection's, or the `hops`-th from the right of
 * `X-Forwarded-For` when the operator trusts that many proxies. A shorter list means that the request
 * did not come through them all, so the connection decides.
 */
export function clientAddress(req: Request, addr: Deno.Addr, hops: number): string {
  const connection = "hostname" in addr ? normalizeAddress(addr.hostname) : "local";
  if (hops === 0) return connection;
  const forwarded = (req.headers.get("x-forwarded-for") ?? "").split(",").map((s) => s.trim());
  const named = forwarded.length >= hops ? forwarded[forwarded.length - hops] : undefined;
  return named === undefined || named === "" ? connection : normalizeAddress(named);
}

/** Without brackets or port, and a mapped IPv4 address as IPv4. */
function normalizeAddress(address: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ??
    /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare.toLowerCase();
}
