import { z } from "zod";
import type { Limits } from "../../billing/limits.ts";
import { withVisitorLimits } from "../../billing/visitor_limits.ts";
import { DEFAULT_PLAN, type Plan, planRecordSchema } from "../../store/tenants/tenant_store.ts";
import { AUDIT_RETENTION, DEFAULT_QUOTAS, SUGGESTED_VISITOR_LIMITS } from "../../schemas/limits.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import {
  PLAN_FIELDS,
  type PlanField,
  type PlanUnit,
  QUOTA_FIELDS,
  VISITOR_LIMIT_FIELDS,
} from "./describe_plan.ts";
import { t } from "../texts/translate.ts";

/** A plan as its form holds it: texts, exactly as typed. */
export interface PlanFormValues {
  limits: Record<string, string>;
  quotas: Record<string, string>;
  visitorOverrides: string;
  conversationDays: string;
  /** Blank for the default. */
  auditDays: string;
  /** `all`, or `some` for the chosen ones. */
  models: string;
  /** `provider/model` each. */
  chosen: string[];
}

export type PlanFormIssues = Record<string, string>;

/** Stored units per unit of a form field. */
const SCALES: Record<PlanUnit, number> = {
  count: 1,
  per_minute: 1,
  usd: 1_000_000,
  mib: 1_048_576,
};

export function toPlanForm(plan: Plan): PlanFormValues {
  return {
    limits: toTexts(PLAN_FIELDS, plan.limits),
    quotas: toTexts(QUOTA_FIELDS, plan.quotas),
    visitorOverrides: plan.visitorOverrides,
    conversationDays: String(plan.conversationDays),
    auditDays: plan.auditDays === undefined ? "" : String(plan.auditDays),
    models: plan.models === "all" ? "all" : "some",
    chosen: plan.models === "all"
      ? []
      : plan.models.map(({ vendor, model }) => `${vendor}/${model}`),
  };
}

/** The initial form of a new tenant, with the suggested limits for one visitor. */
export function newPlanForm(): PlanFormValues {
  return toPlanForm(withVisitorLimits(DEFAULT_PLAN));
}

/** A new tenant's plan: the default with the typed limits for one visitor. */
export function readNewPlanForm(form: URLSearchParams): PlanFormValues {
  const values = toPlanForm(DEFAULT_PLAN);
  return { ...values, limits: { ...values.limits, ...readTexts(VISITOR_LIMIT_FIELDS, form) } };
}

export function readPlanForm(form: URLSearchParams): PlanFormValues {
  return {
    limits: readTexts(PLAN_FIELDS, form),
    quotas: readTexts(QUOTA_FIELDS, form),
    visitorOverrides: form.get("visitorOverrides") ?? "",
    conversationDays: (form.get("conversationDays") ?? "").trim(),
    auditDays: (form.get("auditDays") ?? "").trim(),
    models: form.get("models") ?? "all",
    chosen: form.getAll("chosen"),
  };
}

export function parsePlanForm(values: PlanFormValues): { plan: Plan } | { issues: PlanFormIssues } {
  const parsed = planRecordSchema.safeParse({
    v: 1,
    models: values.models === "all" ? "all" : values.chosen.map(parseModelName),
    limits: parseTexts(PLAN_FIELDS, values.limits),
    quotas: parseTexts(QUOTA_FIELDS, values.quotas),
    visitorOverrides: values.visitorOverrides,
    conversationDays: values.conversationDays === "" ? NaN : Number(values.conversationDays),
    ...values.auditDays !== "" && { auditDays: Number(values.auditDays) },
  });
  if (!parsed.success) return { issues: toFormIssues(parsed.error.issues) };
  const { softDailyCost, hardDailyCost } = parsed.data.limits;
  if (softDailyCost !== undefined && hardDailyCost !== undefined && softDailyCost > hardDailyCost) {
    return { issues: { softDailyCost: t("The soft limit is above the hard one.") } };
  }
  return { plan: parsed.data };
}

/** What each blank field shows as a hint: the default, or a suggestion where there is none. */
export function planHints(limits: Partial<Limits>): Record<string, string> {
  const defaults = toTexts(PLAN_FIELDS, limits);
  const suggestions = toTexts(VISITOR_LIMIT_FIELDS, SUGGESTED_VISITOR_LIMITS);
  for (const [name, suggestion] of Object.entries(suggestions)) {
    if (defaults[name] === "") defaults[name] = t("e.g. {value}", { value: suggestion });
  }
  return { ...defaults, ...toTexts(QUOTA_FIELDS, DEFAULT_QUOTAS) };
}

function toTexts<Name extends string>(
  fields: readonly PlanField<Name>[],
  values: Partial<Record<Name, number | undefined>>,
): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, unit }) => {
    const n = values[name];
    return [name, n === undefined ? "" : String(n / SCALES[unit])];
  }));
}

function readTexts(fields: readonly PlanField[], form: URLSearchParams): Record<string, string> {
  return Object.fromEntries(fields.map(({ name }) => [name, (form.get(name) ?? "").trim()]));
}

function parseTexts(
  fields: readonly PlanField[],
  texts: Record<string, string>,
): Record<string, number> {
  const typed = fields.filter(({ name }) => texts[name] !== "");
  return Object.fromEntries(typed.map(({ name, unit }) => {
    const scale = SCALES[unit];
    const n = Number(texts[name]);
    return [name, scale === 1 ? n : Math.round(n * scale)];
  }));
}

function toFormIssues(issues: readonly z.core.$ZodIssue[]): PlanFormIssues {
  const messages: PlanFormIssues = {};
  for (const { path } of issues) {
    const [first, second] = path.map(String);
    if (first === "limits" || first === "quotas") {
      messages[second ?? ""] = t("Enter a number within the limits, or leave this blank.");
    }
    if (first === "conversationDays") messages[first] = t("Enter 0 to 365 days.");
    if (first === "auditDays") {
      messages[first] = t("Enter {min} to {max} days, or leave this blank.", {
        min: AUDIT_RETENTION.minDays,
        max: AUDIT_RETENTION.maxDays,
      });
    }
    if (first === "models") messages[first] = t("Choose models from the list.");
    if (first === "visitorOverrides") messages[first] = t("Choose an option.");
  }
  return messages;
}

/** Splits `provider/model`; a model's name may contain slashes. */
function parseModelName(name: string): { vendor: ProviderId | undefined; model: string } {
  const slash = name.indexOf("/");
  const vendor = PROVIDER_IDS.find((id) => id === name.slice(0, slash));
  return { vendor, model: name.slice(slash + 1) };
}
