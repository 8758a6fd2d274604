import { type Limits, withOverrides } from "../../billing/limits.ts";
import type { Plan } from "../../store/tenants/tenant_store.ts";

/** One setting of a plan as people read it. */
export interface PlanValue {
  label: string;
  value: string;
  /** Whether the plan sets it; otherwise it is the service's own. */
  overridden: boolean;
}

/** Every limit a tenant is held to, in words. */
export function describePlan(plan: Plan, defaults: Limits): PlanValue[] {
  const limits = withOverrides(defaults, plan.limits);
  const of = (
    name: keyof Plan["limits"],
    label: string,
    unit: (n: number) => string,
  ): PlanValue => {
    const n = limits[name];
    const value = n === undefined ? "no limit" : unit(n);
    return { label, value, overridden: plan.limits[name] !== undefined };
  };
  return [
    of("keyRequests", "Requests of one API key", perMinute),
    of("ipMessages", "Messages from one address", perMinute),
    of("streams", "Streams at once", String),
    of("softDailyCost", "Daily cost, soft limit", usd),
    of("hardDailyCost", "Daily cost, hard limit", usd),
    of("sessionStreams", "Streams at once, one visitor", String),
    of("sessionCost", "Cost of one visitor's session", usd),
    of("ipDailyCost", "Daily cost of one address", usd),
  ];
}

const VISITOR_OVERRIDE_LABELS: Record<Plan["visitorOverrides"], string> = {
  not_dearer: "Models that are not dearer than the agent's own",
  all: "Any model of the plan",
  none: "Nothing",
};

export function visitorOverridesLabel({ visitorOverrides }: Plan): string {
  return VISITOR_OVERRIDE_LABELS[visitorOverrides];
}

export function retentionLabel({ conversationDays: days }: Plan): string {
  if (days === 0) return "Not stored at all";
  return days === 1 ? "1 day" : `${days} days`;
}

function perMinute(n: number): string {
  return `${n.toLocaleString("en")} a minute`;
}

/** From micro-USD. */
function usd(n: number): string {
  return `$${(n / 1_000_000).toFixed(2)}`;
}
