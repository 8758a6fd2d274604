import type { LimitOverrides } from "../store/tenants/tenant_store.ts";

/** Requests and messages are counted over this long. */
export const WINDOW_MS = 60_000;

/** What one process holds everybody to; money in micro-USD. Source: specification section 8. */
export interface Limits {
  /** Requests a minute from one address (an IPv6 /64). */
  readonly ipRequests: number;
  /** Chat messages a minute from one address. */
  readonly ipMessages: number;
  /** Streams a minute that one address resumes. */
  readonly ipResumes: number;
  /** Requests a minute with one API key. */
  readonly keyRequests: number;
  /** Simultaneous streams of one tenant. */
  readonly streams: number;
  /** A warning header is sent past it. */
  readonly softDailyCost: number;
  /** Nothing is let in past it. */
  readonly hardDailyCost: number;
  /** Simultaneous streams of one session; unset unless a plan says. */
  readonly sessionStreams?: number | undefined;
  /** What one session may spend in its life. */
  readonly sessionCost?: number | undefined;
  /** What the visitors of one address may spend of a tenant's day; API keys are the tenant's own. */
  readonly ipDailyCost?: number | undefined;
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  ipRequests: 100,
  ipMessages: 20,
  // Twenty visitors behind one address, each cut every four seconds.
  ipResumes: 300,
  keyRequests: 60,
  streams: 10,
  softDailyCost: 2_000_000,
  hardDailyCost: 5_000_000,
});

/** The limits of a tenant: the process's own, with what its plan overrides. */
export function withOverrides(limits: Limits, overrides: LimitOverrides): Limits {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...limits, ...Object.fromEntries(given) };
}
