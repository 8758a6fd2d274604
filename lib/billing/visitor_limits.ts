import type { Plan } from "../store/tenants/tenant_store.ts";
import { SUGGESTED_VISITOR_LIMITS } from "../schemas/limits.ts";

type VisitorLimit = keyof typeof SUGGESTED_VISITOR_LIMITS;
const NAMES = Object.keys(SUGGESTED_VISITOR_LIMITS) as VisitorLimit[];

/** Whether a plan leaves any limit for one session or one address unset. */
export function lacksVisitorLimits({ limits }: Plan): boolean {
  return NAMES.some((name) => limits[name] === undefined);
}

/** The plan with the suggested limits where it has none; limits that are set stay as they are. */
export function withVisitorLimits(plan: Plan): Plan {
  if (!lacksVisitorLimits(plan)) return plan;
  const missing = NAMES.filter((name) => plan.limits[name] === undefined);
  const added = missing.map((name) => [name, SUGGESTED_VISITOR_LIMITS[name]]);
  return { ...plan, limits: { ...plan.limits, ...Object.fromEntries(added) } };
}
