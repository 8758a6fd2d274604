/**
 * The unit an address is counted as: an IPv4 address itself, an IPv6 address as its /64, because one
 * household or one server owns all of a /64 and could use a fresh address for every try.
 */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const bare = address.split("%")[0]!;
  if (!bare.includes(":")) return bare;
  const [head = "", tail] = bare.toLowerCase().split("::");
  const before = groups(head);
  const after = groups(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...new Array<string>(zeros).fill("0"), ...after];
  return `${all.slice(0, 4).join(":")}::/64`;
}

/** The network of an address: its /24 for IPv4, its /64 for IPv6. It never names one IPv4 address. */
export function addressNetwork(address: string): string {
  const block = addressBlock(address);
  const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(block)?.[1];
  return ipv4 === undefined ? block : `${ipv4}.0/24`;
}

function groups(part: string): string[] {
  if (part === "") return [];
  return part.split(":").map((group) => group.replace(/^0+(?=.)/, ""));
}
