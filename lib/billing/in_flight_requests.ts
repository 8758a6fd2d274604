import { type Limits, WINDOW_MS } from "./limits.ts";
import { LimitError } from "./limit_error.ts";

/**
 * How many requests each address has under way that no window has counted yet, in this process. A
 * request is counted once its body is there and its caller is known: until then one address could hold
 * any number of bodies in memory, at a byte a second.
 */
export class InFlightRequests {
  readonly #counts = new Map<string, number>();

  /** Addresses that have any. */
  get addresses(): number {
    return this.#counts.size;
  }

  /** Adds one. Throws the 429 of an address that has as many as it may make in a minute. */
  enter(address: string, { ipRequests }: Limits): void {
    const before = this.#counts.get(address) ?? 0;
    if (before >= ipRequests) throw tooManyInFlight(ipRequests);
    this.#counts.set(address, before + 1);
  }

  /** Takes back one that was added. */
  leave(address: string): void {
    const left = (this.#counts.get(address) ?? 0) - 1;
    if (left > 0) this.#counts.set(address, left);
    else this.#counts.delete(address);
  }
}

/** As if those under way had been counted just now, which most of them are about to be. */
function tooManyInFlight(limit: number): LimitError {
  const windowSeconds = WINDOW_MS / 1000;
  return new LimitError({ scope: "ip", limit, windowSeconds, retryAfterMs: WINDOW_MS });
}
