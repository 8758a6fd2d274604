import { EXAMPLES } from "../examples.ts";
import type { ParameterObject } from "../openapi_types.ts";
import { json, noContent, ok, operations } from "../operation.ts";
import { PARAMETERS } from "../parameters.ts";

const id: ParameterObject = {
  ...PARAMETERS.agentId,
  description: "The conversation's id: the `conversationId` of the `start` frame.",
};
const shared = { tag: "Chat", rateLimited: true, browser: true, auth: "session" } as const;

export const OWN_CONVERSATION_OPERATIONS = operations(shared, {
  "GET /v1/chat/conversations": {
    id: "listOwnConversations",
    summary: "List the visitor's conversations",
    description:
      "Those of the session's visitor with its agent, on any page and device, most recently active " +
      "first; each from the end of its first answer on. Empty for a session without a visitor.",
    parameters: ["limit", "cursor", "pageOrigin"],
    responses: [
      ok("One page.", json("OwnConversationPage", { data: [EXAMPLES.ownConversation] })),
    ],
    errors: ["schema_validation_failed", "origin_not_allowed"],
  },
  "GET /v1/chat/conversations/{id}": {
    id: "getOwnConversation",
    summary: "Read a conversation of the visitor",
    description:
      "What the visitor asked and read, a page of runs at a time, without tools, models and cost. " +
      "To continue it, send its messages and its id as `conversationId`. A session without a visitor " +
      "reads a conversation only if it has itself started each of its runs.",
    parameters: [id, "limit", "cursor", "pageOrigin"],
    responses: [ok("The messages.", json("OwnTranscript", EXAMPLES.ownTranscript))],
    errors: ["schema_validation_failed", "origin_not_allowed", "not_found"],
  },
  "PATCH /v1/chat/conversations/{id}": {
    id: "renameOwnConversation",
    summary: "Name a conversation of the visitor",
    description: "Possible from the end of the first answer on.",
    parameters: [id, "pageOrigin"],
    body: { schema: "RenameConversationBody", example: { title: EXAMPLES.ownConversation.title } },
    responses: [
      ok("The conversation.", json("OwnConversation", EXAMPLES.ownConversation)),
    ],
    errors: ["origin_not_allowed", "not_found"],
  },
  "DELETE /v1/chat/conversations/{id}": {
    id: "deleteOwnConversation",
    summary: "Delete a conversation of the visitor",
    description:
      "As `DELETE /v1/conversations/{id}`: a run in progress is cancelled and not stored.",
    parameters: [id, "pageOrigin"],
    responses: [noContent("The conversation is deleted.")],
    errors: ["origin_not_allowed", "not_found", "payload_too_large"],
  },
});
