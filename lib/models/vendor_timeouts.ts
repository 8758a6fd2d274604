export interface VendorTimeouts {
  /** Longest time to a connection, in milliseconds. */
  connectMs: number;
  /** Longest silence of a vendor, in milliseconds. */
  idleMs: number;
}

export const DEFAULT_TIMEOUTS: VendorTimeouts = { connectMs: 10_000, idleMs: 60_000 };
