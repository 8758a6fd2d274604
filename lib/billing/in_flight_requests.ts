import { LimitError } from "./limit_error.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";

/**
 * Counts each address's requests in flight that no window has counted yet, in this process. A request is
 * counted once its body has arrived and its caller is known; without this limit one address could hold any
 * number of slowly arriving bodies in memory.
 */
export class InFlightRequests {
  readonly #counts = new Map<string, number>();

  get addresses(): number {
    return this.#counts.size;
  }

  /** Adds a request. Throws the 429 of an address that has as many as it may make per minute. */
  enter(address: string, { ipRequests: limit }: Limits): void {
    const before = this.#counts.get(address) ?? 0;
    if (before >= limit) {
      const windowSeconds = WINDOW_MS / 1000;
      // As if they had all been counted just now, which most of them soon will be.
      throw new LimitError({ scope: "ip", limit, windowSeconds, retryAfterMs: WINDOW_MS });
    }
    this.#counts.set(address, before + 1);
  }

  leave(address: string): void {
    const remaining = (this.#counts.get(address) ?? 0) - 1;
    if (remaining > 0) this.#counts.set(address, remaining);
    else this.#counts.delete(address);
  }
}
