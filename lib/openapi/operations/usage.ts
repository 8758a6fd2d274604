import { EXAMPLES } from "../examples.ts";
import { json, ok, operations } from "../operation.ts";

const used = { costUsd: 0.012345, runs: 3, messages: 3, inputTokens: 2_140, outputTokens: 871 };

export const USAGE_OPERATIONS = operations({ tag: "Usage", rateLimited: true }, {
  "GET /v1/usage": {
    id: "readUsage",
    summary: "Read usage",
    description:
      "Today's usage and limits, and totals of the days from `from` to `to` (inclusive, " +
      "at most 366). A run counts on the day it ends; totals are exact to a millionth of a dollar " +
      "and agree with the `usage` frames of the runs.",
    auth: { scope: "billing:read" },
    parameters: ["fromDay", "toDay"],
    responses: [
      ok(
        "The usage report.",
        json("UsageReport", {
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
          byProtocol: [{ protocol: "native", ...used }],
          storage: {
            agents: { used: 3, limit: 1_000 },
            agentBytes: { used: 41_210, limit: 67_108_864 },
            knowledgeBases: { used: 1, limit: 100 },
            knowledgeBytes: { used: 5_242_880, limit: 1_073_741_824 },
            conversationRuns: { used: 812, limit: 1_000_000 },
            conversationBytes: { used: 2_411_008, limit: 1_073_741_824 },
            attachmentBytes: { used: 1_310_720, limit: 1_073_741_824 },
            users: { used: 4, limit: 1_000 },
            apiKeys: { used: 2, limit: 1_000 },
            toolSecrets: { used: 1, limit: 1_000 },
            testSets: { used: 3, limit: 50 },
          },
        }),
      ),
    ],
    errors: ["schema_validation_failed"],
  },
});
