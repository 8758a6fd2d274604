import { z } from "zod";
import { TEST_BOUNDS as B } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { PROVIDER_IDS } from "./provider_id.ts";
import { countSchema as count, pageSchema, usdSchema as usd } from "./value_schemas.ts";

const judge = z.strictObject({
  provider: z.enum(PROVIDER_IDS),
  model: z.string().min(1).max(256),
}).describe("The model that grades answers. It is paid from the run's budget.");

const threshold = z.number().min(0).max(1)
  .describe("The share of the cases that must pass, from 0 to 1.");
const budgetUsd = z.number().positive().max(B.budgetUsd).describe(
  "The most that one run may cost. The amount is set aside before it begins, within the tenant's day.",
);

const fields = {
  name: plainText(z.string().trim().min(1).max(B.nameLength)),
  agentId: z.uuid().toLowerCase().describe("The agent that runs ask, unless they name another."),
  threshold,
  judge: judge.optional(),
  budgetUsd,
};
export {
  budgetUsd as testBudgetSchema,
  judge as testJudgeSchema,
  threshold as testThresholdSchema,
};

/** Body of `POST /v1/test-sets`. */
export const testSetBodySchema = z.strictObject({
  ...fields,
  threshold: threshold.default(1),
  budgetUsd: budgetUsd.default(1),
});
export type TestSetBody = z.infer<typeof testSetBodySchema>;

/** Body of `PATCH /v1/test-sets/:id`; `null` removes the judge. */
export const testSetPatchSchema = z.strictObject({
  ...z.strictObject(fields).partial().shape,
  judge: judge.nullable().optional(),
});
export type TestSetPatch = z.infer<typeof testSetPatchSchema>;

export const testSetSchema = z.object({
  id: z.uuid(),
  ...fields,
  budgetUsd: usd,
  cases: count,
  casesRevision: count.describe(
    "Grows with every change of the cases: a run with another one is of other cases.",
  ),
  version: count.positive().describe("Also the `ETag`; grows with each change of the set."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type TestSet = z.infer<typeof testSetSchema>;

export const testSetPageSchema = pageSchema(testSetSchema, "Newest first.");

/** By their names in the API document. */
export const TEST_SET_SCHEMAS = {
  TestJudge: judge,
  TestSetBody: testSetBodySchema,
  TestSetPatch: testSetPatchSchema,
  TestSet: testSetSchema,
  TestSetPage: testSetPageSchema,
};
