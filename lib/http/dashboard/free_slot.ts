import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { PROVIDER_IDS, type ProviderId } from "../../wire/vendors.ts";

/** The slot that the route names, unless the environment sets it up: then it is not to be changed. */
export function editableConnection({ params, state }: Context<State>): ProviderId | undefined {
  const vendor = PROVIDER_IDS.find((one) => one === params.vendor);
  if (vendor === undefined || state.service.config.connections[vendor] !== undefined) {
    return undefined;
  }
  return vendor;
}
