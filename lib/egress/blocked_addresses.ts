import { BlockList, isIP } from "node:net";

/** From IANA's special-purpose registry, plus a cloud metadata service on a public-looking address. */
const BLOCKED_V4: readonly [string, number, string][] = [
  ["0.0.0.0", 8, "an unspecified address"],
  ["10.0.0.0", 8, "a private address"],
  ["100.64.0.0", 10, "a carrier's internal address"],
  ["127.0.0.0", 8, "a loopback address"],
  ["168.63.129.16", 32, "a cloud's metadata address"],
  ["169.254.0.0", 16, "a link-local address"],
  ["172.16.0.0", 12, "a private address"],
  ["192.0.0.0", 24, "a reserved address"],
  ["192.0.2.0", 24, "a documentation address"],
  ["192.31.196.0", 24, "a reserved address"],
  ["192.52.193.0", 24, "a reserved address"],
  ["192.88.99.0", 24, "a translated address"],
  ["192.168.0.0", 16, "a private address"],
  ["192.175.48.0", 24, "a reserved address"],
  ["198.18.0.0", 15, "a benchmarking address"],
  ["198.51.100.0", 24, "a documentation address"],
  ["203.0.113.0", 24, "a documentation address"],
  ["224.0.0.0", 4, "a multicast address"],
  ["255.255.255.255", 32, "the broadcast address"],
  ["240.0.0.0", 4, "a reserved address"],
];

/** Parts of 2000::/3 that are not public, or that reach an IPv4 host by translation. */
const BLOCKED_V6: readonly [string, number, string][] = [
  ["2001::", 23, "a reserved or translated address"],
  ["2001:db8::", 32, "a documentation address"],
  ["2002::", 16, "a translated address"],
  ["2620:4f:8000::", 48, "a reserved address"],
  ["3fff::", 20, "a documentation address"],
];

const v4Rules = BLOCKED_V4.map(([net, bits, why]) => blockRule(net, bits, why));
const v6Rules = BLOCKED_V6.map(([net, bits, why]) => blockRule(net, bits, why));
const globalUnicast = blockRule("2000::", 3, "");

/**
 * Why an IPv4 or IPv6 address is not on the public internet; `undefined` if it is. IPv6 is public only
 * within 2000::/3, which excludes loopback, link-local, unique-local, multicast, v4-mapped,
 * v4-compatible, NAT64 and future assignments.
 */
export function blockedAddressReason(address: string): string | undefined {
  const family = isIP(address);
  if (family === 0) return "not an address";
  if (family === 4) return v4Rules.find((one) => one.net.check(address, "ipv4"))?.why;
  // Only link-local addresses have a zone (`fe80::1%eth0`).
  if (address.includes("%")) return "a link-local address";
  if (!globalUnicast.net.check(address, "ipv6")) return "not a public IPv6 address";
  if (isIsatap(address)) return "a translated address";
  return v6Rules.find((one) => one.net.check(address, "ipv6"))?.why;
}

/** Whether the interface id embeds an IPv4 address after `[02]00:5efe`; RFC 5214, section 6.1. */
function isIsatap(address: string): boolean {
  const groups = parseIpv6Groups(address);
  return ((groups[4] ?? 0) & ~0x0300) === 0 && groups[5] === 0x5efe;
}

function parseIpv6Groups(address: string): number[] {
  // The URL parser normalizes every spelling; only `::` remains to be expanded.
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = [], tail = []] = text.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((group) => parseInt(group, 16));
}

function blockRule(net: string, bits: number, why: string) {
  return { net: createNetwork(net, bits), why };
}

/** Throws if it is not a network. */
export function createNetwork(net: string, bits: number): BlockList {
  const list = new BlockList();
  list.addSubnet(net, bits, isIP(net) === 4 ? "ipv4" : "ipv6");
  return list;
}
