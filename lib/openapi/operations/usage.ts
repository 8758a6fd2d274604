import { EXAMPLES } from "../examples.ts";
import type { ParameterObject } from "../openapi_types.ts";
import type { Operation } from "../operation.ts";

const used = { costUsd: 0.012345, runs: 3, messages: 3, inputTokens: 2_140, outputTokens: 871 };

export const USAGE_OPERATIONS: Operation[] = [
  {
    id: "readUsage",
    method: "GET",
    path: "/v1/usage",
    tag: "Usage",
    summary: "Read current consumption",
    description: "Today against the limits, and the days from `from` to `to` (both included, at " +
      "most 366) in sums. A run counts on the day it ends on; sums are exact to the " +
      "millionth of a dollar and agree with the `usage` frames of the runs.",
    auth: { scope: "billing:read" },
    rateLimited: true,
    parameters: [
      day("from", "First day, UTC; 29 days before `to` unless told."),
      day("to", "Last day, UTC; today unless told."),
    ],
    responses: [{
      status: 200,
      description: "What has been used.",
      content: {
        type: "application/json",
        schema: "UsageReport",
        example: {
          day: "2026-01-15",
          resetsAt: "2026-01-16T00:00:00.000Z",
          ...used,
          softLimitUsd: 2,
          hardLimitUsd: 5,
          activeStreams: 1,
          maxStreams: 10,
          days: [{ day: "2026-01-15", ...used }],
          byAgent: [{ agentId: EXAMPLES.agent.id, ...used }],
          byModel: [{ provider: "vendor_a", model: "demo", ...used }],
          storage: {
            agents: { used: 3, limit: 1_000 },
            agentBytes: { used: 41_210, limit: 67_108_864 },
            knowledgeBases: { used: 1, limit: 100 },
            knowledgeBytes: { used: 5_242_880, limit: 1_073_741_824 },
            conversationRuns: { used: 812, limit: 1_000_000 },
            conversationBytes: { used: 2_411_008, limit: 1_073_741_824 },
          },
        },
      },
    }],
    errors: ["schema_validation_failed"],
  },
];

function day(name: string, description: string): ParameterObject {
  const schema = { type: "string", format: "date" };
  return { name, in: "query", required: false, description, schema };
}
