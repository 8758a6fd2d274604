import { z } from "zod";
import { PROVIDER_IDS } from "./provider_id.ts";

const count = z.int().nonnegative();
const usd = z.number().nonnegative();

const usageSchema = z.object({
  costUsd: usd.describe("What was charged, exact to a millionth."),
  runs: count.describe("Runs that have ended."),
  messages: count.describe("Messages that were let in and have been answered: one a run."),
  inputTokens: count,
  outputTokens: count,
});

/** One day of the query: UTC, `YYYY-MM-DD`. */
export const dayUsageSchema = usageSchema.extend({ day: z.iso.date() });
export const agentUsageSchema = usageSchema.extend({
  agentId: z.uuid().describe(
    "All zeros for what no agent used: reading documents into knowledge bases.",
  ),
});
export const modelUsageSchema = usageSchema.extend({
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
});

const storageSchema = z.object({
  used: count.describe("How much of it is stored now."),
  limit: count.describe("How much of it the plan allows."),
});

/** Answer of `GET /v1/usage`. The sums at the top are today's. Source: CONTRACT section 4. */
export const usageReportSchema = usageSchema.extend({
  day: z.iso.date().describe("Today, UTC."),
  resetsAt: z.iso.datetime().describe("When the day's cost begins at nothing again."),
  softLimitUsd: usd.describe("Past it, answers of chat carry `x-plan-warning`."),
  hardLimitUsd: usd.describe("Past it, messages are refused until `resetsAt`."),
  activeStreams: count.describe("Runs going on at this moment."),
  maxStreams: count,
  days: z.array(dayUsageSchema).describe("Days of the query on which anything was used, in order."),
  byAgent: z.array(agentUsageSchema).describe("Over all days of the query, the dearest first."),
  byModel: z.array(modelUsageSchema).describe("Over all days of the query, the dearest first."),
  storage: z.object({
    agents: storageSchema,
    agentBytes: storageSchema.describe("Agents as JSON, with every kept version."),
    knowledgeBases: storageSchema,
    knowledgeBytes: storageSchema.describe("Documents as sent, and the text read from them."),
    conversationRuns: storageSchema.describe("Messages in conversations, each with its answer."),
    conversationBytes: storageSchema.describe("Past it the oldest conversations are deleted."),
  }).describe("What the tenant stores now, against its quotas."),
});
export type UsageReport = z.infer<typeof usageReportSchema>;
