import { HttpExchange, type HttpExchangeOptions } from "./exchange.ts";
import { ProviderError } from "./vendor_fault.ts";

/** A credential with characters that no header may hold is the operator's slip, not our fault. */
export function openHttpExchange(options: HttpExchangeOptions): HttpExchange {
  try {
    return new HttpExchange(options);
  } catch (cause) {
    const message = "the model vendor cannot be asked with the credential of its slot";
    throw new ProviderError("provider_error", message, { cause });
  }
}
