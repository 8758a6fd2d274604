import { addressBlock } from "../accounts/address_block.ts";

/** Who sends a request, as far as it is known: what its body takes up is shared out by this. */
export interface RequestSender {
  /** The client's address. */
  address: string;
  /** The tenant of the user who is signed in to the dashboard. */
  tenant?: string;
}

const senders = new WeakMap<Request, RequestSender>();

/** Notes who sends a request; what is known later is added. */
export function setSender(req: Request, sender: Partial<RequestSender>): void {
  senders.set(req, { ...senderOf(req), ...sender });
}

/** The address that sends the request, an IPv6 one as its /64. */
export function senderAddress(req: Request): string {
  return addressBlock(senderOf(req).address);
}

/** The names under which the sender of a request holds memory. */
export function memoryHolders(req: Request): string[] {
  const { tenant } = senderOf(req);
  const holders = [`address ${senderAddress(req)}`];
  if (tenant !== undefined) holders.push(`tenant ${tenant}`);
  return holders;
}

/** Everybody who is not known counts as one address. */
function senderOf(req: Request): RequestSender {
  return senders.get(req) ?? { address: "unknown" };
}
