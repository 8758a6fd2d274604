import { formatCount } from "../format_amount.ts";
import { type Limits, withOverrides } from "../../billing/limits.ts";
import { type QuotaName, SUGGESTED_VISITOR_LIMITS } from "../../schemas/limits.ts";
import { type Plan, quotasOf } from "../../store/tenants/tenant_store.ts";

/** How a limit is measured. Forms take USD for stored micro-USD, and MiB for stored bytes. */
export type PlanUnit = "count" | "per_minute" | "usd" | "mib";

export interface PlanField<Name extends string = string> {
  name: Name;
  label: string;
  help: string;
  unit: PlanUnit;
}

/** Every limit of a plan; the only place that words them. */
export const PLAN_FIELDS = planFields<keyof Plan["limits"]>({
  keyRequests: ["per_minute", "Requests of one API key", "Per minute. At most 6000."],
  ipMessages: ["per_minute", "Messages from one address", "Per minute. At most 6000."],
  streams: ["count", "Concurrent streams", "Of the whole tenant. At most 800."],
  softDailyCost: ["usd", "Daily cost, soft limit", "USD; a warning."],
  hardDailyCost: ["usd", "Daily cost, hard limit", "USD; requests above it are rejected."],
  sessionStreams: ["count", "Concurrent streams of one visitor", "No limit by default."],
  sessionCost: ["usd", "Cost of one visitor's session", "USD. No limit by default."],
  ipDailyCost: [
    "usd",
    "Daily cost of one address",
    "USD, across an address's visitor sessions; API keys are not counted. No limit by default.",
  ],
});

/** The limits of one visitor, which the form of a new tenant also shows. */
export const VISITOR_LIMIT_FIELDS = PLAN_FIELDS.filter(({ name }) =>
  name in SUGGESTED_VISITOR_LIMITS
);

const EVICTION_NOTE =
  "When full, the least recently active conversations are deleted. Chats are never rejected.";

export const QUOTA_FIELDS = planFields<QuotaName>({
  agents: ["count", "Agents", "At most 100,000."],
  agentVersions: [
    "count",
    "Versions kept of each agent",
    "1 to 100. The oldest are deleted first, and also when the agents' storage is full.",
  ],
  agentBytes: ["mib", "Size of agents and versions", "In MiB, measured as JSON."],
  knowledgeBases: ["count", "Knowledge bases", "At most 1,000."],
  knowledgeBytes: [
    "mib",
    "Size of knowledge",
    "In MiB, uploaded files plus the text extracted from them.",
  ],
  conversationRuns: ["count", "Messages in conversations", EVICTION_NOTE],
  conversationBytes: ["mib", "Size of conversations", `In MiB. ${EVICTION_NOTE}`],
});

function planFields<Name extends string>(
  fields: Record<Name, [unit: PlanUnit, label: string, help: string]>,
): readonly PlanField<Name>[] {
  const entries = Object.entries(fields) as [Name, typeof fields[Name]][];
  return entries.map(([name, [unit, label, help]]) => ({ name, unit, label, help }));
}

export const VISITOR_OVERRIDE_LABELS: Record<Plan["visitorOverrides"], string> = {
  not_dearer: "Models that cost no more than the agent's own",
  all: "Any model of the plan",
  none: "Nothing",
};

export function describePlan(plan: Plan, defaults: Limits): { label: string; value: string }[] {
  const limits = withOverrides(defaults, plan.limits);
  return PLAN_FIELDS.map(({ name, label, unit }) => {
    const n = limits[name];
    return { label, value: n === undefined ? "no limit" : formatLimit(n, unit) };
  });
}

export function retentionLabel({ conversationDays: days }: Plan): string {
  if (days === 0) return "Not stored";
  return days === 1 ? "1 day" : `${days} days`;
}

function formatLimit(n: number, unit: PlanUnit): string {
  if (unit === "per_minute") return `${formatCount(n)} per minute`;
  return unit === "usd" ? `$${(n / 1_000_000).toFixed(2)}` : String(n);
}

export function maxAgentVersions(plan: Plan): number {
  return quotasOf(plan).agentVersions;
}
