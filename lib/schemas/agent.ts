import { z } from "zod";
import { agentOffersSchema, appearanceSchema, shownAppearanceSchema } from "./appearance.ts";
import { pageSchema } from "./value_schemas.ts";
import { isDomainAllowed, normalizeDomain } from "./domains.ts";
import { guardrailActions, guardrailsSchema } from "./guardrails.ts";
import { handoffSchema } from "./handoff.ts";
import { FIELD_BOUNDS as B } from "./limits.ts";
import { MEMORY_SCHEMAS, memorySchema } from "./memory.ts";
import { normalizeOrigin } from "./origins.ts";
import {
  reasoningEffortSchema,
  responseSchemaSchema,
  stopSequencesSchema,
  topPSchema,
} from "./model_settings.ts";
import { plainText } from "./plain_text.ts";
import { isRemoteTool, isRepeatable, toolDefinitionSchema, toolUrl } from "./tool_definition.ts";
import { PROVIDER_IDS } from "./provider_id.ts";
import { agentVariableSchema, agentVariablesSchema } from "./visitor.ts";

const model = z.string().min(1).max(256).describe("Must be in the tenant's plan.");

const modelPolicy = z.strictObject({
  provider: z.enum(PROVIDER_IDS),
  model,
  temperature: z.number().min(0).max(2).optional()
    .describe("Limited to the provider's range; omitted for models without temperature."),
  maxOutputTokens: z.int().min(1).max(B.maxOutputTokens).optional()
    .describe("Tokens; fewer if the conversation leaves less of the model's context."),
  reasoningEffort: reasoningEffortSchema.optional(),
  topP: topPSchema.optional(),
  stopSequences: stopSequencesSchema.optional(),
}).describe("The model and its settings.");

/** `null` clears a setting that has no value of its own for "unset". */
const modelPolicyPatch = z.strictObject({
  ...modelPolicy.partial().shape,
  reasoningEffort: reasoningEffortSchema.nullable().optional(),
  topP: topPSchema.nullable().optional(),
  stopSequences: stopSequencesSchema.nullable().optional(),
});

const fallback = z.strictObject({ provider: z.enum(PROVIDER_IDS), model })
  .describe("The model to use if the first one fails.");

const rerank = z.strictObject({ provider: z.enum(PROVIDER_IDS), model }).describe(
  "A model that orders the passages of `search_knowledge` by how well they answer the query: one " +
    "short request per search, within the run's budget. After an error or 8 seconds the search's " +
    "own order stays.",
);

const budget = z.strictObject({
  maxCostUsd: z.number().min(0).max(B.maxCostUsd).describe("USD."),
  maxSteps: z.int().min(1).max(B.maxSteps).describe("Model calls in one run."),
  wallClockMs: z.int().min(B.minWallClockMs).max(B.maxWallClockMs).describe("Milliseconds."),
}).describe("Limits of one run.");

const attachments = z.strictObject({
  images: z.boolean().optional().describe("PNG, JPEG, WebP and GIF; needs a model with vision."),
  documents: z.boolean().optional().describe("PDF, plain text, Markdown and CSV."),
}).describe("Files that messages may have; none by default.");

const retentionDays = z.int().min(0).max(B.retentionDays).describe(
  "Days for which everything that conversations leave is stored: at most the plan's number, which is " +
    "also the default. 0 keeps nothing: a run's log exists for 10 minutes after its end, and " +
    "`handoff` and `memory` cannot be enabled. Applies to messages from then on.",
);

function normalized(normalize: (text: string) => string | undefined, message: string) {
  return (text: string, ctx: z.RefinementCtx): string => {
    const normal = normalize(text);
    if (normal !== undefined) return normal;
    ctx.addIssue({ code: "custom", message });
    return z.NEVER;
  };
}

/** An entry of `allowedDomains`, normalized. */
export const domainSchema = z.string().max(B.domainLength)
  .transform(normalized(normalizeDomain, "must be a host, or *.host, with an optional :port"));

const ORIGIN_FORM = "must be scheme://host[:port]; http only for localhost and loopback";
const origin = z.string().max(2048).transform(normalized(normalizeOrigin, ORIGIN_FORM));

const fields = {
  name: plainText(z.string().min(1).max(B.agentName)).describe("For people."),
  systemPrompt: plainText(z.string().min(1).max(B.systemPrompt))
    .describe("Instructions for the model. `{{visitor.name}}` inserts one of `variables`."),
  variables: agentVariablesSchema.optional().describe(
    "What a session may say about its visitor. `{{visitor.name}}` inserts a value into the prompt " +
      "and into requests of tools, `{{visitor.id}}` the visitor's id.",
  ),
  modelPolicy,
  fallback: fallback.optional(),
  knowledgeBaseId: z.uuid().toLowerCase().optional().describe(
    "A knowledge base of the same tenant. It adds the tool `search_knowledge`, so none of `tools` " +
      "may have that name.",
  ),
  rerank: rerank.optional(),
  budget,
  tools: z.array(toolDefinitionSchema).max(B.tools).describe(
    "Names are unique; each tool's host must be in `allowedDomains`, and `{{name}}` in a request " +
      "must name one of the tool's parameters, `{{visitor.name}}` one of `variables`. `[]` for none.",
  ),
  allowedDomains: z.array(domainSchema).max(B.allowedDomains)
    .describe("Where tools may call: a host or `*.host`, with an optional `:port`."),
  allowedOrigins: z.array(origin).max(B.allowedOrigins).optional().describe(
    "Pages that may embed the agent: `scheme://host[:port]`, `http:` for localhost only. " +
      "Without any, no widget session can be minted.",
  ),
  nativeApps: z.boolean().optional().describe(
    "Apps without pages may chat: a session is minted without an `Origin`, bound to a key of the " +
      "app. False by default.",
  ),
  appearance: appearanceSchema.optional(),
  attachments: attachments.optional(),
  handoff: handoffSchema.optional(),
  guardrails: guardrailsSchema.optional(),
  retentionDays: retentionDays.optional(),
  memory: memorySchema.optional(),
  followUps: z.boolean().optional().describe(
    "Whether the model may suggest up to three follow-up questions below an answer. It adds the " +
      "tool `suggest_follow_ups`, so none of `tools` may have that name. Default: `false`.",
  ),
  responseSchema: responseSchemaSchema.optional(),
};

const shape = z.strictObject(fields);

/** Tool names must be unique, and each tool's host must be in `allowedDomains`. */
function checkTools(agent: z.infer<typeof shape>, ctx: z.RefinementCtx) {
  const seen = new Set<string>();
  agent.tools.forEach((tool, i) => {
    const at = tool.type === "http" ? ["tools", i, "request", "url"] : ["tools", i, "url"];
    const url = isRemoteTool(tool) ? toolUrl(tool) : undefined;
    if (isRemoteTool(tool) && tool.parallel === true && !isRepeatable(tool)) {
      const message = "needs the method GET, or idempotent: true";
      ctx.addIssue({ code: "custom", path: ["tools", i, "parallel"], message });
    }
    // An invalid URL already has an issue.
    if (url !== undefined && !isDomainAllowed(url, agent.allowedDomains)) {
      const message = `the host ${url.host} is not in allowedDomains`;
      ctx.addIssue({ code: "custom", path: at, message });
    }
    if (seen.has(tool.name)) {
      const path = ["tools", i, "name"];
      ctx.addIssue({ code: "custom", path, message: "is used by another tool" });
    }
    seen.add(tool.name);
  });
}

/** A guardrail hands off as the model does, with its tool. */
function checkGuardrails({ guardrails, handoff }: z.infer<typeof shape>, ctx: z.RefinementCtx) {
  if (guardrails === undefined || !guardrailActions(guardrails).includes("hand_off")) return;
  if (handoff?.enabled && handoff.by.includes("model")) return;
  const message = "hand_off requires that handoff is enabled and by includes model";
  ctx.addIssue({ code: "custom", path: ["guardrails"], message });
}

/** Body of `POST /v1/agents`; domains and origins are normalized. */
export const agentBodySchema = shape.superRefine(checkTools).superRefine(checkGuardrails);
export type AgentBody = z.infer<typeof agentBodySchema>;

/**
 * `modelPolicy` and `budget` are merged field by field; `fallback`, `rerank`, `appearance`, `attachments`,
 * `handoff`, `guardrails`, `memory`, `retentionDays` and `responseSchema` are replaced, and `null` clears them, like the
 * policy's optional settings. The merged agent is validated again with
 * `agentBodySchema`.
 */
export const agentPatchSchema = z.strictObject({
  ...z.strictObject(fields).partial().shape,
  modelPolicy: modelPolicyPatch.optional(),
  budget: budget.partial().optional(),
  fallback: fallback.nullable().optional(),
  rerank: rerank.nullable().optional(),
  appearance: appearanceSchema.nullable().optional(),
  attachments: attachments.nullable().optional(),
  handoff: handoffSchema.nullable().optional(),
  guardrails: guardrailsSchema.nullable().optional(),
  retentionDays: retentionDays.nullable().optional(),
  memory: memorySchema.nullable().optional(),
  responseSchema: responseSchemaSchema.nullable().optional(),
});
export type AgentPatch = z.infer<typeof agentPatchSchema>;

/** An agent as the service returns it. Unset optional fields are omitted, never `null`. */
export const agentSchema = z.object({
  id: z.uuid(),
  ...fields,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  version: z.int().positive().describe("1 at creation, +1 on each change; also the `ETag`."),
});

export type Agent = z.infer<typeof agentSchema>;

export const agentPageSchema = pageSchema(agentSchema, "Newest first.");
const VERSIONS_ORDER = "Newest first; the last 100 versions are stored.";
export const agentVersionsSchema = pageSchema(agentSchema, VERSIONS_ORDER);

/** By their names in the API document. */
export const AGENT_SCHEMAS = {
  Agent: agentSchema,
  AgentBody: agentBodySchema,
  AgentPatch: agentPatchSchema,
  AgentPage: agentPageSchema,
  AgentVersions: agentVersionsSchema,
  ModelPolicy: modelPolicy,
  Fallback: fallback,
  Rerank: rerank,
  Budget: budget,
  Appearance: appearanceSchema,
  ShownAppearance: shownAppearanceSchema,
  AgentOffers: agentOffersSchema,
  AgentVariable: agentVariableSchema,
  AgentAttachments: attachments,
  ...MEMORY_SCHEMAS,
};
