import type { Plan } from "../store/tenants/tenant_store.ts";
import { SUGGESTED_VISITOR_LIMITS } from "../schemas/limits.ts";

type VisitorLimit = keyof typeof SUGGESTED_VISITOR_LIMITS;
const NAMES = Object.keys(SUGGESTED_VISITOR_LIMITS) as VisitorLimit[];

/** True if a plan lacks any limit per session or per address. */
export function lacksVisitorLimits({ limits }: Plan): boolean {
  return NAMES.some((name) => limits[name] === undefined);
}

/** Adds the suggested limits where the plan has none. */
export function withVisitorLimits(plan: Plan): Plan {
  if (!lacksVisitorLimits(plan)) return plan;
  const missing = NAMES.filter((name) => plan.limits[name] === undefined);
  const added = missing.map((name) => [name, SUGGESTED_VISITOR_LIMITS[name]]);
  return { ...plan, limits: { ...plan.limits, ...Object.fromEntries(added) } };
}
