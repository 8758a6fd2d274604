import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { type Vendor, VENDORS } from "../../wire/vendors.ts";

/** The slot that the route names, unless the environment sets it up: then it is not to be changed. */
export function freeSlot({ params, state }: Context<State>): Vendor | undefined {
  const vendor = VENDORS.find((one) => one === params.vendor);
  if (vendor === undefined || state.service.config.connections[vendor] !== undefined) {
    return undefined;
  }
  return vendor;
}
