import { z } from "zod";
import { withVisitorLimits } from "../../billing/visitor_limits.ts";
import { DEFAULT_PLAN, type Plan, planRecordSchema } from "../../store/tenants/tenant_store.ts";
import { DEFAULT_QUOTAS, type QuotaName, SUGGESTED_VISITOR_LIMITS } from "../../schemas/limits.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";

/** A limit that a plan may set: its field, and what to say of it. Money is typed in USD. */
export interface PlanField {
  name: keyof Plan["limits"];
  label: string;
  help: string;
  money?: true;
  /** What to try where nothing is set. */
  suggestion?: string;
}

export const PLAN_FIELDS: readonly PlanField[] = [
  { name: "keyRequests", label: "Requests of one API key", help: "A minute. At most 6000." },
  { name: "ipMessages", label: "Messages from one address", help: "A minute. At most 6000." },
  { name: "streams", label: "Streams at once", help: "Of the whole tenant. At most 800." },
  { name: "softDailyCost", label: "Daily soft limit", help: "USD; a warning.", money: true },
  { name: "hardDailyCost", label: "Daily hard limit", help: "USD; refused past it.", money: true },
  {
    name: "sessionStreams",
    label: "Streams at once, one visitor",
    help: "No limit by default.",
    suggestion: "2",
  },
  {
    name: "sessionCost",
    label: "Cost of one visitor's session",
    help: "USD. No limit by default.",
    money: true,
    suggestion: "0.25",
  },
  {
    name: "ipDailyCost",
    label: "Daily cost of one address",
    help:
      "USD, across an address's visitor sessions; API keys are not counted. No limit by default.",
    money: true,
    suggestion: "1",
  },
];

const MIB = 1_048_576;
const EVICTION_NOTE =
  "When full, the least recently active conversations are deleted. Chats are never refused.";

/** A quota that a plan may set. Bytes are typed in MiB. */
export interface QuotaField {
  name: QuotaName;
  label: string;
  help: string;
  mib?: true;
}

export const QUOTA_FIELDS: readonly QuotaField[] = [
  { name: "agents", label: "Agents", help: "At most 100,000." },
  {
    name: "agentVersions",
    label: "Versions kept of each agent",
    help: "1 to 100. The oldest are deleted first, and also when the agents' storage is full.",
  },
  {
    name: "agentBytes",
    label: "Size of agents and versions",
    help: "In MiB, measured as JSON.",
    mib: true,
  },
  { name: "knowledgeBases", label: "Knowledge bases", help: "At most 1,000." },
  {
    name: "knowledgeBytes",
    label: "Size of knowledge",
    help: "In MiB, uploaded files plus the text extracted from them.",
    mib: true,
  },
  { name: "conversationRuns", label: "Messages in conversations", help: EVICTION_NOTE },
  {
    name: "conversationBytes",
    label: "Size of conversations",
    help: `In MiB. ${EVICTION_NOTE}`,
    mib: true,
  },
];

/** The default of each quota, as its form field shows it. */
export function quotaDefaults(): Record<string, string> {
  return Object.fromEntries(QUOTA_FIELDS.map((field) => [
    field.name,
    quotaText(field, DEFAULT_QUOTAS[field.name]),
  ]));
}

function quotaText({ mib }: QuotaField, n: number | undefined): string {
  return n === undefined ? "" : String(mib ? n / MIB : n);
}

/** The limits of one visitor, which the form of a new tenant shows too. */
export const VISITOR_LIMIT_FIELDS = PLAN_FIELDS.filter(({ name }) =>
  name in SUGGESTED_VISITOR_LIMITS
);

/** A plan as its form holds it: texts, exactly as typed. */
export interface PlanFormValues {
  limits: Record<string, string>;
  quotas: Record<string, string>;
  visitorOverrides: string;
  conversationDays: string;
  /** `all`, or `some` of the models named. */
  models: string;
  /** `vendor/model` each. */
  chosen: string[];
}

export type PlanFormIssues = Record<string, string>;

export function toPlanForm(plan: Plan): PlanFormValues {
  const limits = PLAN_FIELDS.map(({ name, money }) => {
    const n = plan.limits[name];
    return [name, n === undefined ? "" : String(money ? n / 1_000_000 : n)];
  });
  return {
    limits: Object.fromEntries(limits),
    quotas: Object.fromEntries(
      QUOTA_FIELDS.map((field) => [field.name, quotaText(field, plan.quotas[field.name])]),
    ),
    visitorOverrides: plan.visitorOverrides,
    conversationDays: String(plan.conversationDays),
    models: plan.models === "all" ? "all" : "some",
    chosen: plan.models === "all" ? [] : plan.models.map((one) => `${one.vendor}/${one.model}`),
  };
}

/** What the form of a new tenant begins with: the suggested limits for one visitor. */
export function newPlanForm(): PlanFormValues {
  return toPlanForm(withVisitorLimits(DEFAULT_PLAN));
}

/** A new tenant's plan: the default one with the limits for one visitor that were typed. */
export function readNewPlanForm(form: URLSearchParams): PlanFormValues {
  const typed = VISITOR_LIMIT_FIELDS.map(({ name }) => [name, (form.get(name) ?? "").trim()]);
  const values = toPlanForm(DEFAULT_PLAN);
  return { ...values, limits: { ...values.limits, ...Object.fromEntries(typed) } };
}

export function readPlanForm(form: URLSearchParams): PlanFormValues {
  const limits = PLAN_FIELDS.map(({ name }) => [name, (form.get(name) ?? "").trim()]);
  return {
    limits: Object.fromEntries(limits),
    quotas: Object.fromEntries(
      QUOTA_FIELDS.map(({ name }) => [name, (form.get(name) ?? "").trim()]),
    ),
    visitorOverrides: form.get("visitorOverrides") ?? "",
    conversationDays: (form.get("conversationDays") ?? "").trim(),
    models: form.get("models") ?? "all",
    chosen: form.getAll("chosen"),
  };
}

/** The plan that a form comes to, or what is wrong with it by field. */
export function parsePlanForm(values: PlanFormValues): { plan: Plan } | { faults: PlanFormIssues } {
  const limits = Object.fromEntries(
    PLAN_FIELDS.filter(({ name }) => values.limits[name] !== "").map(({ name, money }) => {
      const typed = Number(values.limits[name]);
      return [name, money ? Math.round(typed * 1_000_000) : typed];
    }),
  );
  const parsed = planRecordSchema.safeParse({
    v: 1,
    models: values.models === "all" ? "all" : values.chosen.map(parseModelName),
    limits,
    quotas: parseQuotas(values),
    visitorOverrides: values.visitorOverrides,
    conversationDays: values.conversationDays === "" ? NaN : Number(values.conversationDays),
  });
  if (!parsed.success) return { faults: toFormIssues(parsed.error.issues) };
  const { softDailyCost, hardDailyCost } = parsed.data.limits;
  if (softDailyCost !== undefined && hardDailyCost !== undefined && softDailyCost > hardDailyCost) {
    return { faults: { softDailyCost: "The soft limit is above the hard one." } };
  }
  return { plan: parsed.data };
}

function parseQuotas({ quotas }: PlanFormValues): Record<string, number> {
  const typed = QUOTA_FIELDS.filter(({ name }) => quotas[name] !== "");
  return Object.fromEntries(typed.map(({ name, mib }) => {
    const n = Number(quotas[name]);
    return [name, mib ? Math.round(n * MIB) : n];
  }));
}

function toFormIssues(issues: readonly z.core.$ZodIssue[]): PlanFormIssues {
  const faults: PlanFormIssues = {};
  for (const { path } of issues) {
    const [first, second] = path.map(String);
    if (first === "limits" || first === "quotas") {
      faults[second ?? ""] = "Enter a number within the limits, or leave this blank.";
    }
    if (first === "conversationDays") faults[first] = "Enter 0 to 365 days.";
    if (first === "models") faults[first] = "Choose models of the catalogue.";
    if (first === "visitorOverrides") faults[first] = "Choose one of these.";
  }
  return faults;
}

/** `vendor/model`; a model's name may have slashes of its own. */
function parseModelName(name: string): { vendor: ProviderId | undefined; model: string } {
  const at = name.indexOf("/");
  const vendor = PROVIDER_IDS.find((one) => one === name.slice(0, at));
  return { vendor, model: name.slice(at + 1) };
}
