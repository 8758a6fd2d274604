import { z } from "zod";
import { agentBodySchema } from "./agent.ts";
import { validationIssueSchema } from "./error_envelope.ts";
import { knowledgeBaseBodySchema } from "./knowledge.ts";
import { plainText } from "./plain_text.ts";
import { testSetBodySchema } from "./test_set.ts";
import { countSchema as count, pageSchema } from "./value_schemas.ts";

/** What a tenant configures, as in the path of its collection. */
export const RESOURCE_KINDS = ["agents", "knowledge-bases", "test-sets"] as const;
export type ResourceKind = typeof RESOURCE_KINDS[number];

export const MAX_LOCK_NOTE = 128;
/** The resources of one check. */
export const MAX_CHECKED = 500;

/** Lower case, so that two keys never differ only in a way that some file systems ignore. */
export const RESOURCE_KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const resourceKeySchema = z.string()
  .regex(RESOURCE_KEY, "must be 1-64 of a-z, 0-9, - and _, and begin with a letter or digit");

/** Body of `PUT /v1/configuration/lock`. */
export const lockBodySchema = z.strictObject({
  id: z.uuid().toLowerCase().describe("The client chooses it and sends it with each change."),
  note: plainText(z.string().max(MAX_LOCK_NOTE)).optional()
    .describe("For people who find the configuration locked."),
  takeOver: z.boolean().optional().describe(
    "Replaces a lock that another holds; its changes are rejected from then on. Default: `false`.",
  ),
});
export type LockBody = z.infer<typeof lockBodySchema>;

export const configurationLockSchema = z.object({
  note: z.string().optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().describe("Each change that names the lock extends it."),
});
export type ConfigurationLock = z.infer<typeof configurationLockSchema>;

const kind = z.enum(RESOURCE_KINDS);

/** A resource with a key. */
export const keyedResourceSchema = z.object({
  kind,
  key: z.string().describe("Unique in the tenant and kind; stays when the resource is renamed."),
  id: z.uuid(),
});
export type KeyedResource = z.infer<typeof keyedResourceSchema>;
export const keyedResourcePageSchema = pageSchema(keyedResourceSchema, "By kind and key.");

export const configuredResourceSchema = z.object({
  ...keyedResourceSchema.shape,
  version: count.positive().describe("Of the resource; also the `ETag`."),
});
export type ConfiguredResource = z.infer<typeof configuredResourceSchema>;

/** Body of `PUT /v1/configuration/:kind/:key`. */
export const resourceBodySchema = z.union([
  agentBodySchema,
  knowledgeBaseBodySchema,
  testSetBodySchema,
]).describe("The whole resource, as its `POST` takes it: what is left out is unset.");

const unparsed = z.record(z.string(), z.unknown());
const existing = z.uuid().toLowerCase().optional()
  .describe("The stored resource that the body would replace.");

/** Body of `POST /v1/configuration/check`. */
export const checkBodySchema = z.strictObject({
  agents: z.array(z.strictObject({ id: existing, body: unparsed })).max(MAX_CHECKED).optional(),
  testSets: z.array(z.strictObject({ id: existing, body: unparsed })).max(MAX_CHECKED).optional(),
});
export type CheckBody = z.infer<typeof checkBodySchema>;

export const checkResultSchema = z.object({
  issues: z.array(validationIssueSchema)
    .describe("Empty if all of it can be stored. A `path` begins like `agents.0.`."),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** By their names in the API document. */
export const CONFIGURATION_SCHEMAS = {
  ConfigurationLockBody: lockBodySchema,
  ConfigurationLock: configurationLockSchema,
  KeyedResource: keyedResourceSchema,
  KeyedResourcePage: keyedResourcePageSchema,
  ConfiguredResource: configuredResourceSchema,
  ResourceBody: resourceBodySchema,
  ConfigurationCheckBody: checkBodySchema,
  ConfigurationCheck: checkResultSchema,
};
