import { EXAMPLES } from "../examples.ts";
import type { ParameterObject } from "../openapi_types.ts";
import type { Operation } from "../operation.ts";
import { PARAMETERS } from "../parameters.ts";

const common = { tag: "Conversations", rateLimited: true } as const;
const read = { scope: "conversations:read" } as const;

const id: ParameterObject = {
  ...PARAMETERS.agentId,
  description: "The conversation's id: the `conversationId` of the `start` frame.",
};
/** A client may choose an id that is taken elsewhere: these tell which is meant. */
const conversationSelectors: ParameterObject[] = [
  queryParameter("agentId", "Of this agent.", "uuid"),
  queryParameter("origin", "Held on this page; empty for calls with an API key."),
];

export const CONVERSATION_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "listConversations",
    method: "GET",
    path: "/v1/conversations",
    summary: "List conversations",
    description: "Those last added to first, page by page. They are kept for 30 days after their " +
      "last run, or as long as the tenant's plan says.",
    auth: read,
    parameters: [
      queryParameter("agentId", "Only those with this agent.", "uuid"),
      "limit",
      "cursor",
    ],
    responses: [{
      status: 200,
      description: "One page.",
      content: {
        type: "application/json",
        schema: "ConversationPage",
        example: { data: [EXAMPLES.conversation] },
      },
    }],
    errors: ["schema_validation_failed"],
  },
  {
    ...common,
    id: "getConversation",
    method: "GET",
    path: "/v1/conversations/{id}",
    summary: "Read a conversation",
    description: "What was said, run by run, a page of runs at a time. The id is unique for one " +
      "agent on one page; where several share it, the one that began first answers unless " +
      "`agentId` or `origin` say which.",
    auth: read,
    parameters: [id, ...conversationSelectors, "limit", "cursor"],
    responses: [{
      status: 200,
      description: "The transcript.",
      content: { type: "application/json", schema: "Transcript", example: EXAMPLES.transcript },
    }],
    errors: ["schema_validation_failed", "not_found"],
  },
  {
    ...common,
    id: "deleteConversation",
    method: "DELETE",
    path: "/v1/conversations/{id}",
    summary: "Delete a conversation",
    description: "Removes what was said, its runs and their logs; sums of usage stay. A run that " +
      "goes on in it, its first one too, is cancelled and leaves nothing.",
    auth: { scope: "conversations:write" },
    parameters: [id, ...conversationSelectors],
    responses: [{ status: 204, description: "It is gone." }],
    errors: ["schema_validation_failed", "not_found", "payload_too_large"],
  },
];

function queryParameter(name: string, description: string, format?: string): ParameterObject {
  const schema = { type: "string", ...(format === undefined ? {} : { format }) };
  return { name, in: "query", required: false, description, schema };
}
