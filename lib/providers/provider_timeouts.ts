import { FIELD_BOUNDS } from "../schemas/limits.ts";

export interface ProviderTimeouts {
  /** Longest time to a connection, in milliseconds. */
  connectMs: number;
  /** Longest silence until a vendor answers at all, in milliseconds. */
  responseMs: number;
  /** Longest silence inside its answer, in milliseconds. */
  idleMs: number;
}

/**
 * A vendor that has answered may think in silence for minutes, and that is no fault: it may do so for
 * as long as any run may last, so it is the run's own time that ends it. What is left to end here is
 * a dead connection that no run waits for.
 */
export const DEFAULT_TIMEOUTS: ProviderTimeouts = {
  connectMs: 10_000,
  responseMs: 60_000,
  idleMs: FIELD_BOUNDS.maxWallClockMs,
};
