import { EXAMPLES } from "../examples.ts";
import { json, ok, operations } from "../operation.ts";

const used = { costUsd: 0.412, messages: 18, inputTokens: 41_210, outputTokens: 9_340 };
const limitsResponse = ok(
  "The limits and what is left of them; an empty object without limits.",
  json("VisitorLimits", EXAMPLES.visitorLimits),
);

export const VISITOR_OPERATIONS = operations({ tag: "Visitors", rateLimited: true }, {
  "GET /v1/visitors/{id}/limits": {
    id: "readVisitorLimits",
    summary: "Read a visitor's limits",
    description: "What the visitor may use, and what is left in the current period.",
    auth: { scope: "widget:mint" },
    parameters: ["visitorId"],
    responses: [limitsResponse],
    errors: ["schema_validation_failed"],
  },
  "PUT /v1/visitors/{id}/limits": {
    id: "setVisitorLimits",
    summary: "Set a visitor's limits",
    description:
      "Replaces the limits, with effect on the next message. What the visitor has used in the " +
      "period still counts, also if it is another period than before. With `per` alone nothing is " +
      "limited. The visitor need not have chatted yet.",
    auth: { scope: "widget:mint" },
    parameters: ["visitorId"],
    body: { schema: "VisitorLimitsBody", example: { costUsd: 2, messages: 100, per: "month" } },
    responses: [limitsResponse],
  },
  "GET /v1/visitors/{id}/usage": {
    id: "readVisitorUsage",
    summary: "Read a visitor's usage",
    description:
      "Cost, messages and tokens in the period of the visitor's limits, and in total. A message " +
      "counts when it was sent, its cost and tokens when its run ends; a message that no model " +
      "accepts does not count. Zeros for a visitor who has not chatted.",
    auth: { scope: "billing:read" },
    parameters: ["visitorId"],
    responses: [
      ok(
        "The usage.",
        json("VisitorUsage", {
          per: "month",
          resetsAt: "2026-02-01T00:00:00.000Z",
          ...used,
          total: { costUsd: 1.9, messages: 84, inputTokens: 190_400, outputTokens: 44_100 },
        }),
      ),
    ],
    errors: ["schema_validation_failed"],
  },
  "GET /v1/chat/limits": {
    id: "readOwnLimits",
    summary: "Read what the session's visitor has left",
    description: "For the page of a session, which must be live. Empty if the session names no " +
      "visitor, or the visitor has no limits.",
    auth: "session",
    browser: true,
    parameters: ["pageOrigin"],
    responses: [limitsResponse],
    errors: ["origin_not_allowed"],
  },
});
