import { z } from "zod";
import { countSchema as count, usdSchema as usd } from "./value_schemas.ts";

/** `automatic`: visitors get the version that was saved last. `manual`: the one that was published. */
export const PUBLICATION_MODES = ["automatic", "manual"] as const;

/** Body of `PUT /v1/agents/:id/publication`. */
export const newPublicationSchema = z.discriminatedUnion("mode", [
  z.strictObject({ mode: z.literal("automatic") }),
  z.strictObject({
    mode: z.literal("manual"),
    version: count.positive().optional()
      .describe("The version to publish; by default the one that visitors have now."),
  }),
]);
export type NewPublication = z.infer<typeof newPublicationSchema>;

/** The two versions that a canary splits conversations between. */
export const CANARY_ARMS = ["canary", "published"] as const;
export type CanaryArm = typeof CANARY_ARMS[number];

/** Why a canary was rolled back. */
export const ROLLBACK_REASONS = ["errors", "ratings", "cost"] as const;
export type RollbackReason = typeof ROLLBACK_REASONS[number];

/** `published`: its version was published. `stopped`: somebody ended it. */
export const CANARY_OUTCOMES = ["published", "stopped", "rolled_back"] as const;

/** Ratings of the canary before their limit counts. */
export const MIN_CANARY_RATINGS = 5;

/** With a message that people can act on. */
function numberFrom(min: number, max: number) {
  const message = `must be from ${min} to ${max}`;
  return z.number(message).min(min, message).max(max, message);
}

function wholeFrom(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
}

export const canaryLimitsSchema = z.strictObject({
  minAnswers: wholeFrom(1, 10_000).default(20)
    .describe("The canary's answers before a limit of errors or cost counts."),
  errorPercent: numberFrom(0, 100).default(10).describe(
    "Of its answers, those that ended with an error.",
  ),
  downPercent: numberFrom(0, 100).optional().describe(
    `Of its rated answers, those that were rated down; counts from ${MIN_CANARY_RATINGS} ratings on.`,
  ),
  costPercent: numberFrom(1, 1_000).optional().describe(
    "An answer's average cost, in percent of the published version's.",
  ),
}).describe("Past any of these the canary is rolled back.");
export type CanaryLimits = z.infer<typeof canaryLimitsSchema>;

/** Body of `PUT /v1/agents/:id/publication/canary`. */
export const newCanarySchema = z.strictObject({
  version: count.positive(),
  percent: wholeFrom(1, 50).describe("The share of new conversations that get the version."),
  limits: canaryLimitsSchema.optional().describe("By default at most 10 % errors in 20 answers."),
});
export type NewCanary = z.infer<typeof newCanarySchema>;

/** Body of `PUT /v1/agents/:id/publication/gate`. */
export const publishGateSchema = z.strictObject({
  testSetId: z.uuid().toLowerCase().describe(
    "A version is published only if its latest complete run of this test set passed, with the cases as " +
      "they are now.",
  ),
});
export type PublishGate = z.infer<typeof publishGateSchema>;

const canaryAnswersSchema = z.object({
  conversations: count.describe("That began with the version."),
  answers: count,
  errors: count.describe("Answers that ended with an error."),
  up: count.describe("Answers rated up."),
  down: count.describe("Answers rated down."),
  costUsd: usd.describe("Exact to a millionth."),
  durationMs: count.describe("Of all answers together."),
});
export type CanaryAnswers = z.infer<typeof canaryAnswersSchema>;

const canaryFields = {
  version: count.positive(),
  percent: count,
  limits: canaryLimitsSchema,
  startedAt: z.iso.datetime(),
  answers: z.object({ canary: canaryAnswersSchema, published: canaryAnswersSchema })
    .describe("Since it started, of the conversations that it divides."),
};
export const canarySchema = z.object(canaryFields);
export type Canary = z.infer<typeof canarySchema>;

export const endedCanarySchema = z.object({
  ...canaryFields,
  endedAt: z.iso.datetime(),
  outcome: z.enum(CANARY_OUTCOMES),
  reason: z.enum(ROLLBACK_REASONS).optional().describe("Which limit it was rolled back for."),
});
export type EndedCanary = z.infer<typeof endedCanarySchema>;

export const publicationSchema = z.object({
  mode: z.enum(PUBLICATION_MODES).describe(
    "`automatic`: visitors get each version as it is saved. `manual`: saving makes a draft, and visitors " +
      "keep the published version.",
  ),
  version: count.positive().describe("The version that visitors get."),
  latestVersion: count.positive().describe(
    "The version that was saved last: a draft, if it is newer.",
  ),
  previousVersion: count.positive().optional().describe("What was published before."),
  changedAt: z.iso.datetime().optional().describe("Absent if it was never changed."),
  gate: publishGateSchema.optional().describe("What a version must pass before it is published."),
  canary: canarySchema.optional().describe("The version that a share of new conversations gets."),
  lastCanary: endedCanarySchema.optional(),
});
export type Publication = z.infer<typeof publicationSchema>;

/** By their names in the API document. */
export const PUBLICATION_SCHEMAS = {
  NewPublication: newPublicationSchema,
  Publication: publicationSchema,
  NewCanary: newCanarySchema,
  PublishGate: publishGateSchema,
} as const;
