import { isActive } from "../store/tenants/require_active_tenant.ts";
import type { LimitOverrides, Plan } from "../store/tenants/tenant_store.ts";

/** The window in which requests and messages are counted. */
export const WINDOW_MS = 60_000;

/** Whose limit of what is reached, as `details.scope` of a 429. */
export type LimitScope =
  | "ip"
  | "key"
  | "ip_chat"
  | "ip_resume"
  | "session_messages"
  | "session_streams"
  | "session_cost"
  | "session_uploads"
  | "session_upload_bytes"
  | "tenant_streams"
  | "tenant_jobs"
  | "tenant_daily_cost"
  | "ip_daily_cost"
  | "visitor_messages"
  | "visitor_cost";

/** A window counts requests or messages per minute, as opposed to streams, session messages or money. */
type LimitKind = { message: string; isWindow: boolean };

export const LIMIT_KINDS: Record<LimitScope, LimitKind> = {
  ip: { message: "too many requests from this address", isWindow: true },
  key: { message: "too many requests with this API key", isWindow: true },
  ip_chat: { message: "too many messages from this address", isWindow: true },
  ip_resume: { message: "too many resumed streams from this address", isWindow: true },
  session_messages: {
    message: "this session's messages are used up; mint a new token",
    isWindow: false,
  },
  session_streams: { message: "too many simultaneous streams of this session", isWindow: false },
  session_cost: {
    message: "what one session may cost is used up; mint a new token",
    isWindow: false,
  },
  session_uploads: {
    message: "this session's uploads are used up; mint a new token",
    isWindow: false,
  },
  session_upload_bytes: {
    message: "this session has uploaded too many bytes; mint a new token",
    isWindow: false,
  },
  tenant_streams: { message: "too many simultaneous streams", isWindow: false },
  tenant_jobs: {
    message: "too many rehearsals and test runs at the same time; wait until one has ended",
    isWindow: false,
  },
  tenant_daily_cost: { message: "the day's cost limit is reached", isWindow: false },
  visitor_messages: { message: "this visitor's messages are used up", isWindow: false },
  visitor_cost: { message: "what this visitor may cost is used up", isWindow: false },
  ip_daily_cost: { message: "what one address may cost a day is used up", isWindow: false },
};

/** The limits that one process enforces; money in micro-USD. Source: specification section 8. */
export interface Limits {
  /** Requests per minute from one address (an IPv6 /64). */
  readonly ipRequests: number;
  /** Chat messages per minute from one address. */
  readonly ipMessages: number;
  /** Resumed streams per minute from one address. */
  readonly ipResumes: number;
  /** Requests per minute with one API key. */
  readonly keyRequests: number;
  /** Simultaneous streams of one tenant. */
  readonly streams: number;
  /** Above it, responses carry a warning header. */
  readonly softDailyCost: number;
  /** At it, runs are rejected. */
  readonly hardDailyCost: number;
  /** Simultaneous streams of one session; unset unless a plan sets it. */
  readonly sessionStreams?: number | undefined;
  /** What one session may cost in total. */
  readonly sessionCost?: number | undefined;
  /** What the visitors of one address may cost per day; does not apply to API keys. */
  readonly ipDailyCost?: number | undefined;
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  ipRequests: 100,
  ipMessages: 20,
  // Twenty visitors behind one address, each disconnected every four seconds.
  ipResumes: 300,
  keyRequests: 60,
  streams: 10,
  softDailyCost: 2_000_000,
  hardDailyCost: 5_000_000,
});

/** The limits of a tenant: those of the process with the plan's overrides. */
export function withOverrides(limits: Limits, overrides: LimitOverrides): Limits {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...limits, ...Object.fromEntries(given) };
}

/** The limits of a plan. A suspended tenant may spend nothing. */
export function limitsOfPlan(
  limits: Limits,
  plan: Pick<Plan, "limits" | "suspension" | "deletion">,
): Limits {
  const own = withOverrides(limits, plan.limits);
  return isActive(plan) ? own : { ...own, softDailyCost: 0, hardDailyCost: 0 };
}
