import { BlockList, isIP } from "node:net";

/** Whether an address is in one of these networks, which are in CIDR notation. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const bare = address.split("%")[0]!;
  const family = isIP(bare);
  if (family === 0) return false;
  // A list of the address's family only: Node matches IPv4 networks against mapped IPv6 addresses too.
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  for (const range of ranges) {
    const [network = "", bits = ""] = range.split("/");
    if (isIP(network) === family) list.addSubnet(network, Number(bits), type);
  }
  return list.check(bare, type);
}
