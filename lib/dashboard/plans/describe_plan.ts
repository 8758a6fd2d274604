import { type Limits, withOverrides } from "../../billing/limits.ts";
import { type QuotaName, SUGGESTED_VISITOR_LIMITS } from "../../schemas/limits.ts";
import { type Plan, quotasOf } from "../../store/tenants/tenant_store.ts";

/** How a limit is measured. Forms take USD for stored micro-USD, and MiB for stored bytes. */
export type PlanUnit = "count" | "per_minute" | "usd" | "mib";

/** A limit that a plan may set, as forms and pages describe it. */
export interface PlanField<Name extends string = string> {
  name: Name;
  label: string;
  help: string;
  unit: PlanUnit;
}
export type LimitName = keyof Plan["limits"];

/** The only place that words limits. */
const LIMITS: Record<LimitName, Omit<PlanField, "name">> = {
  keyRequests: {
    label: "Requests of one API key",
    help: "Per minute. At most 6000.",
    unit: "per_minute",
  },
  ipMessages: {
    label: "Messages from one address",
    help: "Per minute. At most 6000.",
    unit: "per_minute",
  },
  streams: {
    label: "Concurrent streams",
    help: "Of the whole tenant. At most 800.",
    unit: "count",
  },
  softDailyCost: { label: "Daily cost, soft limit", help: "USD; a warning.", unit: "usd" },
  hardDailyCost: {
    label: "Daily cost, hard limit",
    help: "USD; requests above it are rejected.",
    unit: "usd",
  },
  sessionStreams: {
    label: "Concurrent streams of one visitor",
    help: "No limit by default.",
    unit: "count",
  },
  sessionCost: {
    label: "Cost of one visitor's session",
    help: "USD. No limit by default.",
    unit: "usd",
  },
  ipDailyCost: {
    label: "Daily cost of one address",
    help:
      "USD, across an address's visitor sessions; API keys are not counted. No limit by default.",
    unit: "usd",
  },
};

/** Every limit of a plan. */
export const PLAN_FIELDS: readonly PlanField<LimitName>[] = toFields(LIMITS);

/** The limits of one visitor, which the form of a new tenant also shows. */
export const VISITOR_LIMIT_FIELDS = PLAN_FIELDS.filter(({ name }) =>
  name in SUGGESTED_VISITOR_LIMITS
);

const EVICTION_NOTE =
  "When full, the least recently active conversations are deleted. Chats are never rejected.";

const QUOTAS: Record<QuotaName, Omit<PlanField, "name">> = {
  agents: { label: "Agents", help: "At most 100,000.", unit: "count" },
  agentVersions: {
    label: "Versions kept of each agent",
    help: "1 to 100. The oldest are deleted first, and also when the agents' storage is full.",
    unit: "count",
  },
  agentBytes: {
    label: "Size of agents and versions",
    help: "In MiB, measured as JSON.",
    unit: "mib",
  },
  knowledgeBases: { label: "Knowledge bases", help: "At most 1,000.", unit: "count" },
  knowledgeBytes: {
    label: "Size of knowledge",
    help: "In MiB, uploaded files plus the text extracted from them.",
    unit: "mib",
  },
  conversationRuns: { label: "Messages in conversations", help: EVICTION_NOTE, unit: "count" },
  conversationBytes: {
    label: "Size of conversations",
    help: `In MiB. ${EVICTION_NOTE}`,
    unit: "mib",
  },
};

/** Every storage quota of a plan. */
export const QUOTA_FIELDS: readonly PlanField<QuotaName>[] = toFields(QUOTAS);

/** What visitors may choose per call. */
export const VISITOR_OVERRIDE_LABELS: Record<Plan["visitorOverrides"], string> = {
  not_dearer: "Models that cost no more than the agent's own",
  all: "Any model of the plan",
  none: "Nothing",
};

/** Every effective limit of a tenant, as text. */
export function describePlan(plan: Plan, defaults: Limits): { label: string; value: string }[] {
  const limits = withOverrides(defaults, plan.limits);
  return PLAN_FIELDS.map(({ name, label, unit }) => {
    const n = limits[name];
    return { label, value: n === undefined ? "no limit" : formatLimit(n, unit) };
  });
}

export function visitorOverridesLabel({ visitorOverrides }: Plan): string {
  return VISITOR_OVERRIDE_LABELS[visitorOverrides];
}

export function retentionLabel({ conversationDays: days }: Plan): string {
  if (days === 0) return "Not stored";
  return days === 1 ? "1 day" : `${days} days`;
}

function formatLimit(n: number, unit: PlanUnit): string {
  if (unit === "per_minute") return `${n.toLocaleString("en")} per minute`;
  return unit === "usd" ? `$${(n / 1_000_000).toFixed(2)}` : String(n);
}

/** How many versions of each agent are stored. */
export function maxAgentVersions(plan: Plan): number {
  return quotasOf(plan).agentVersions;
}

function toFields<Name extends string>(
  fields: Record<Name, Omit<PlanField, "name">>,
): PlanField<Name>[] {
  return (Object.keys(fields) as Name[]).map((name) => ({ name, ...fields[name] }));
}
