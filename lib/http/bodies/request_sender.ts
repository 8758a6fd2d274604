import { addressBlock } from "../../platform/address_block.ts";

/** The sender of a request, as far as known; memory for bodies is shared fairly by sender. */
interface RequestSender {
  address: string;
  /** The tenant of the user who is signed in to the dashboard. */
  tenant?: string;
}

const senders = new WeakMap<Request, RequestSender>();

export function setSender(req: Request, sender: Partial<RequestSender>): void {
  senders.set(req, { ...senderOf(req), ...sender });
}

/** The sender's address; an IPv6 address as its /64. */
export function senderAddress(req: Request): string {
  return addressBlock(senderOf(req).address);
}

export function budgetHolders(req: Request): string[] {
  const { tenant } = senderOf(req);
  const holders = [`address ${senderAddress(req)}`];
  if (tenant !== undefined) holders.push(`tenant ${tenant}`);
  return holders;
}

/** Requests without a recorded sender share one address. */
function senderOf(req: Request): RequestSender {
  return senders.get(req) ?? { address: "unknown" };
}
