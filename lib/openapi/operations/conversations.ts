import { EXAMPLES } from "../examples.ts";
import type { ParameterObject } from "../openapi_types.ts";
import { json, noContent, ok, operations } from "../operation.ts";
import { PARAMETERS, queryParameter } from "../parameters.ts";

const read = { scope: "conversations:read" } as const;
const uuid = { type: "string", format: "uuid" } as const;

const id: ParameterObject = {
  ...PARAMETERS.agentId,
  description: "The conversation's id: the `conversationId` of the `start` frame.",
};
/** Clients choose ids, so several conversations may share one. */
const selectors: ParameterObject[] = [
  queryParameter("agentId", "The conversation's agent.", uuid),
  queryParameter("origin", "The conversation's page; empty for calls with an API key.", {
    type: "string",
  }),
  queryParameter("visitorId", "The conversation's visitor; empty for one without.", {
    type: "string",
  }),
];

export const CONVERSATION_OPERATIONS = operations({ tag: "Conversations", rateLimited: true }, {
  "GET /v1/conversations": {
    id: "listConversations",
    summary: "List conversations",
    description: "Most recently active first, one page at a time. They are stored for 30 days " +
      "after their last run, or as long as the tenant's plan says.",
    auth: read,
    parameters: [queryParameter("agentId", "Only of this agent.", uuid), "limit", "cursor"],
    responses: [ok("One page.", json("ConversationPage", { data: [EXAMPLES.conversation] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "GET /v1/conversations/{id}": {
    id: "getConversation",
    summary: "Read a conversation",
    description: "The messages of each run, one page of runs at a time. The id is unique for one " +
      "agent, page and visitor. If `agentId`, `origin` and `visitorId` leave several, one without a " +
      "visitor is returned, else the oldest.",
    auth: read,
    parameters: [id, ...selectors, "limit", "cursor"],
    responses: [ok("The transcript.", json("Transcript", EXAMPLES.transcript))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "GET /v1/conversations/{id}/export": {
    id: "exportConversation",
    summary: "Export a conversation with its seals",
    description:
      "A sealed export: lines of JSON (`SealedExportLine`) with the questions, all frames of the " +
      "answers and their seals. Its last line is signed and covers every byte before it. " +
      "`deno task verify` checks it without a service.",
    auth: read,
    parameters: [id, ...selectors],
    responses: [ok("The lines.", { type: "application/x-ndjson", lines: "SealedExportLine" })],
    errors: ["schema_validation_failed", "not_found"],
  },
  "DELETE /v1/conversations/{id}": {
    id: "deleteConversation",
    summary: "Delete a conversation",
    description: "Deletes the messages, runs and logs; usage totals stay. A run in progress is " +
      "cancelled and not stored, even the first of the conversation.",
    auth: { scope: "conversations:write" },
    parameters: [id, ...selectors],
    responses: [noContent("The conversation is deleted.")],
    errors: ["schema_validation_failed", "not_found", "payload_too_large"],
  },
});
