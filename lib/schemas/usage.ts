import { z } from "zod";
import { countSchema as count, usdSchema as usd } from "./value_schemas.ts";
import { CHAT_PROTOCOLS } from "./chat_protocol.ts";
import { PROVIDER_IDS } from "./provider_id.ts";

const usageSchema = z.object({
  costUsd: usd.describe("Cost, exact to a millionth."),
  runs: count.describe("Runs that have ended."),
  messages: count.describe("Answered messages, one per run."),
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.optional()
    .describe("Input tokens that providers read from their caches; absent for none."),
  cacheWriteTokens: count.optional()
    .describe("Input tokens that providers wrote to their caches; absent for none."),
  cacheSavedUsd: z.number().optional().describe(
    "What caching saved against the input price, after what writing to caches cost more: negative if " +
      "that was more. Absent for nothing.",
  ),
  reasoningTokens: count.optional()
    .describe("Output tokens that were hidden reasoning; absent for none."),
});

/** One day of the query: UTC, `YYYY-MM-DD`. */
export const dayUsageSchema = usageSchema.extend({ day: z.iso.date() });
const agentUsageSchema = usageSchema.extend({
  agentId: z.uuid()
    .describe("All zeros for usage without an agent, such as processing documents."),
});
const protocolUsageSchema = usageSchema.extend({
  protocol: z.enum(CHAT_PROTOCOLS).describe("The format that messages were sent in."),
});
const modelUsageSchema = usageSchema.extend({ provider: z.enum(PROVIDER_IDS), model: z.string() });

const storageSchema = z.object({
  used: count.describe("The stored amount."),
  limit: count.describe("The plan's quota."),
});

/** Answer of `GET /v1/usage`. The totals at the top are today's. Source: CONTRACT section 4. */
export const usageReportSchema = usageSchema.extend({
  day: z.iso.date().describe("Today, UTC."),
  resetsAt: z.iso.datetime().describe("When the daily totals reset."),
  softLimitUsd: usd.describe("Above it, chat responses have the header `x-plan-warning`."),
  hardLimitUsd: usd.describe("Above it, messages are rejected until `resetsAt`."),
  activeStreams: count.describe("Runs in progress."),
  maxStreams: count,
  days: z.array(dayUsageSchema).describe("Days with usage, in order."),
  byAgent: z.array(agentUsageSchema).describe("Totals of all days, highest cost first."),
  byModel: z.array(modelUsageSchema).describe("Totals of all days, highest cost first."),
  byProtocol: z.array(protocolUsageSchema).describe("Totals of all days, highest cost first."),
  storage: z.object({
    agents: storageSchema,
    agentBytes: storageSchema.describe("Agents as JSON, with all stored versions."),
    knowledgeBases: storageSchema,
    knowledgeBytes: storageSchema.describe("Uploaded documents and the text extracted from them."),
    conversationRuns: storageSchema.describe("Messages in conversations, each with its answer."),
    conversationBytes: storageSchema.describe(
      "Above it the least recently active conversations are deleted.",
    ),
    attachmentBytes: storageSchema.describe("Files of messages and the text extracted from them."),
    users: storageSchema.describe("Members of the team and open invitations."),
    apiKeys: storageSchema.describe("Those that are neither revoked nor expired."),
    toolSecrets: storageSchema.describe("Secrets of tools."),
    testSets: storageSchema,
  }).describe("Stored amounts and quotas."),
});
export type UsageReport = z.infer<typeof usageReportSchema>;
