import { z } from "zod";
import { VISITOR_BOUNDS as B } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { countSchema, usdSchema } from "./value_schemas.ts";

/** A name that is no variable: `{{visitor.id}}` is the visitor's id. */
export const VISITOR_ID = "id";
const VARIABLE_NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;

export const VARIABLE_TYPES = ["string", "number", "boolean"] as const;
export type VariableType = typeof VARIABLE_TYPES[number];

/** True for a value that a variable of the type can have. */
export function isOfType(value: unknown, type: VariableType): boolean {
  const actual: string = typeof value;
  return actual === type;
}

const variableValueSchema = z.union([plainText(z.string()), z.number(), z.boolean()]);
export type VariableValue = z.infer<typeof variableValueSchema>;

const defaultValue = z.union([
  plainText(z.string().min(1).max(B.defaultLength)),
  z.number(),
  z.boolean(),
]);

/** One entry of an agent's `variables`. */
export const agentVariableSchema = z.strictObject({
  name: z.string().regex(VARIABLE_NAME, "must match ^[a-zA-Z][a-zA-Z0-9_]{0,63}$")
    .refine((name) => name !== VISITOR_ID, "is reserved for the visitor's id"),
  type: z.enum(VARIABLE_TYPES),
  description: plainText(z.string().min(1).max(B.descriptionLength)).optional()
    .describe("For people."),
  default: defaultValue.optional()
    .describe("Of the variable's type. Used if a session has no value."),
}).superRefine(({ type, default: value }, ctx) => {
  if (value === undefined || isOfType(value, type)) return;
  ctx.addIssue({ code: "custom", path: ["default"], message: `must be a ${type}` });
});
export type AgentVariable = z.infer<typeof agentVariableSchema>;

/** An agent's `variables`: names are unique. */
export const agentVariablesSchema = z.array(agentVariableSchema).max(B.variables)
  .superRefine((variables, ctx) => {
    const seen = new Set<string>();
    variables.forEach(({ name }, n) => {
      if (seen.has(name)) {
        const message = "is used by another variable";
        ctx.addIssue({ code: "custom", path: [n, "name"], message });
      }
      seen.add(name);
    });
  });

const visitorId = plainText(z.string().min(1).max(B.idLength))
  .refine((id) => !/\p{Cc}/u.test(id), "must not contain control characters")
  // A URL cannot name them.
  .refine((id) => id !== "." && id !== "..", "must not be . or ..");

const variableValues = z.record(z.string(), variableValueSchema).superRefine((values, ctx) => {
  const names = Object.keys(values).length;
  if (names > B.variables) {
    const message = `must have at most ${B.variables} variables`;
    ctx.addIssue({ code: "custom", message, params: { code: "too_big" } });
  }
  if (new TextEncoder().encode(JSON.stringify(values)).length > B.valueBytes) {
    const message = "must be at most 4 KiB of JSON";
    ctx.addIssue({ code: "custom", message, params: { code: "too_big" } });
  }
});

/** The id of a visitor in the path of a request. */
export const visitorPathSchema = z.strictObject({ id: visitorId });

export const LIMIT_PERIODS = ["day", "month", "total"] as const;
export type LimitPeriod = typeof LIMIT_PERIODS[number];
const per = z.enum(LIMIT_PERIODS).describe("UTC days or months; `total` never starts again.");

/** Body of `PUT /v1/visitors/:id/limits`. */
export const visitorLimitsBodySchema = z.strictObject({
  costUsd: z.number().min(0).max(B.maxCostUsd).optional().describe("USD; absent for no limit."),
  messages: z.int().min(0).max(B.maxMessages).optional().describe("Absent for no limit."),
  per,
}).describe("What one visitor may use in each period.");
export type VisitorLimitsBody = z.infer<typeof visitorLimitsBodySchema>;

/** Answer of `GET /v1/chat/limits` and `/v1/visitors/:id/limits`; empty without limits. */
export const visitorLimitsReportSchema = z.object({
  costUsd: z.object({ limit: usdSchema, left: usdSchema }).optional()
    .describe("`left` is neither spent nor set aside for runs that are being answered."),
  messages: z.object({ limit: countSchema, left: countSchema }).optional(),
  per: per.optional(),
  resetsAt: z.iso.datetime().optional().describe("Absent for `total`."),
});
export type VisitorLimitsReport = z.infer<typeof visitorLimitsReportSchema>;

const used = {
  costUsd: usdSchema.describe("Exact to a millionth."),
  messages: countSchema,
  inputTokens: countSchema,
  outputTokens: countSchema,
};

/** Answer of `GET /v1/visitors/:id/usage`. */
export const visitorUsageSchema = z.object({
  per: per.describe("The period of the visitor's limits; the month without any."),
  resetsAt: z.iso.datetime().optional().describe("Absent for `total`."),
  ...used,
  total: z.object(used).describe("In all periods."),
});
export type VisitorUsage = z.infer<typeof visitorUsageSchema>;

/** The `visitor` of `POST /v1/widget/session`. */
export const mintVisitorSchema = z.strictObject({
  id: visitorId.describe("How your backend calls this visitor; without control characters."),
  variables: variableValues.optional().describe(
    "Values of variables that the agent declares, each of its type; together at most 4 KiB of JSON.",
  ),
  limits: visitorLimitsBodySchema.optional()
    .describe("Replaces the visitor's limits; without it they stay as they are."),
}).describe("The visitor that the session is for.");
export type MintVisitor = z.infer<typeof mintVisitorSchema>;

/** By their names in the API document. */
export const VISITOR_SCHEMAS = {
  MintVisitor: mintVisitorSchema,
  VisitorLimitsBody: visitorLimitsBodySchema,
  VisitorLimits: visitorLimitsReportSchema,
  VisitorUsage: visitorUsageSchema,
};
