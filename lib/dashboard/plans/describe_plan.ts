import { formatCount, formatMicroUsd, plural } from "../format_amount.ts";
import { type Limits, withOverrides } from "../../billing/limits.ts";
import { type QuotaName, SUGGESTED_VISITOR_LIMITS } from "../../schemas/limits.ts";
import { type Plan, quotasOf } from "../../store/tenants/tenant_store.ts";
import { msg, t } from "../texts/translate.ts";

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
  keyRequests: ["per_minute", msg("Requests of one API key"), msg("Per minute. At most 60,000.")],
  ipMessages: ["per_minute", msg("Messages from one address"), msg("Per minute. At most 60,000.")],
  streams: ["count", msg("Concurrent streams"), msg("For the whole tenant. At most 10,000.")],
  softDailyCost: ["usd", msg("Daily cost, soft limit"), msg("USD. Only a warning.")],
  hardDailyCost: [
    "usd",
    msg("Daily cost, hard limit"),
    msg("USD. Requests above it are rejected."),
  ],
  sessionStreams: [
    "count",
    msg("Concurrent streams of one visitor"),
    msg("At most 800. No limit by default."),
  ],
  sessionCost: ["usd", msg("Cost of one visitor's session"), msg("USD. No limit by default.")],
  ipDailyCost: [
    "usd",
    msg("Daily cost of one address"),
    msg(
      "USD, across an address's visitor sessions; API keys are not counted. No limit by default.",
    ),
  ],
});

/** The limits of one visitor, which the form of a new tenant also shows. */
export const VISITOR_LIMIT_FIELDS = PLAN_FIELDS.filter(({ name }) =>
  name in SUGGESTED_VISITOR_LIMITS
);

const EVICTION_NOTE = msg(
  "When full, the least recently active conversations are deleted. Chats are never rejected.",
);

export const QUOTA_FIELDS = planFields<QuotaName>({
  agents: ["count", msg("Agents"), msg("At most 100,000.")],
  agentVersions: [
    "count",
    msg("Versions kept per agent"),
    msg("1 to 100. The oldest are deleted first, and also when the agents' storage is full."),
  ],
  agentBytes: ["mib", msg("Size of agents and versions"), msg("In MiB, measured as JSON.")],
  knowledgeBases: ["count", msg("Knowledge bases"), msg("At most 1,000.")],
  knowledgeBytes: [
    "mib",
    msg("Size of knowledge"),
    msg("In MiB, uploaded files plus the text extracted from them."),
  ],
  conversationRuns: ["count", msg("Messages in conversations"), EVICTION_NOTE],
  conversationBytes: [
    "mib",
    msg("Size of conversations"),
    msg(
      "In MiB. When full, the least recently active conversations are deleted. Chats are never rejected.",
    ),
  ],
  attachmentBytes: [
    "mib",
    msg("Size of attachments"),
    msg("In MiB, files of messages plus the text extracted from them."),
  ],
  users: ["count", msg("Users"), msg("1 to 10,000, with open invitations.")],
  apiKeys: [
    "count",
    msg("API keys"),
    msg("At most 10,000. Revoked and expired ones do not count."),
  ],
  toolSecrets: ["count", msg("Secrets"), msg("At most 10,000.")],
  testSets: ["count", msg("Test sets"), msg("At most 500.")],
});

function planFields<Name extends string>(
  fields: Record<Name, [unit: PlanUnit, label: string, help: string]>,
): readonly PlanField<Name>[] {
  const entries = Object.entries(fields) as [Name, typeof fields[Name]][];
  return entries.map(([name, [unit, label, help]]) => ({ name, unit, label, help }));
}

export const VISITOR_OVERRIDE_LABELS: Record<Plan["visitorOverrides"], string> = {
  not_dearer: msg("Models that cost no more than the agent's own"),
  all: msg("Any model of the plan"),
  none: msg("Nothing"),
};

export function describePlan(plan: Plan, defaults: Limits): { label: string; value: string }[] {
  const limits = withOverrides(defaults, plan.limits);
  return PLAN_FIELDS.map(({ name, label, unit }) => {
    const n = limits[name];
    return { label: t(label), value: n === undefined ? t("no limit") : formatLimit(n, unit) };
  });
}

export function retentionLabel({ conversationDays: days }: Plan): string {
  if (days === 0) return t("Not stored");
  return plural(days, "{count} day", "{count} days");
}

function formatLimit(n: number, unit: PlanUnit): string {
  if (unit === "per_minute") return t("{n} per minute", { n: formatCount(n) });
  return unit === "usd" ? formatMicroUsd(n) : formatCount(n);
}

export function maxAgentVersions(plan: Plan): number {
  return quotasOf(plan).agentVersions;
}
