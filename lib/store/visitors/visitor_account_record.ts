import { z } from "zod";
import { LIMIT_PERIODS } from "../../schemas/visitor.ts";

const count = z.int().nonnegative();

/** What a visitor has used in one period; cost in micro-USD. */
const visitorUseSchema = z.object({
  cost: count,
  messages: count,
  inputTokens: count,
  outputTokens: count,
});
export type VisitorUse = z.infer<typeof visitorUseSchema>;

/** What a visitor may use in each period; cost in micro-USD. Unset means unlimited. */
const visitorLimitsSchema = z.object({
  cost: count.optional(),
  messages: count.optional(),
  per: z.enum(LIMIT_PERIODS),
});
export type VisitorLimits = z.infer<typeof visitorLimitsSchema>;

/** A visitor's limits and use, and the money that its active runs hold. */
export const visitorAccountSchema = z.object({
  v: z.literal(1),
  limits: visitorLimitsSchema.optional(),
  /** By run id: what it holds, micro-USD, and when it was admitted, milliseconds. */
  runs: z.record(z.string(), z.object({ hold: count, at: z.int() })),
  /** The latest UTC days and months, as `YYYY-MM-DD` and `YYYY-MM`. */
  days: z.record(z.string(), visitorUseSchema),
  months: z.record(z.string(), visitorUseSchema),
  total: visitorUseSchema,
});
export type VisitorAccount = z.infer<typeof visitorAccountSchema>;
