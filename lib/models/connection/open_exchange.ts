import { Exchange, type ExchangeOptions } from "./exchange.ts";
import { VendorFault } from "./vendor_fault.ts";

/** A credential with characters that no header may hold is the operator's slip, not our fault. */
export function openExchange(options: ExchangeOptions): Exchange {
  try {
    return new Exchange(options);
  } catch (cause) {
    const message = "the model vendor cannot be asked with the credential of its slot";
    throw new VendorFault("provider_error", message, { cause });
  }
}
