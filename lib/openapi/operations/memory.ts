import { EXAMPLES } from "../examples.ts";
import type { ParameterObject } from "../openapi_types.ts";
import { json, noContent, ok, operations } from "../operation.ts";
import { PARAMETERS } from "../parameters.ts";

const id: ParameterObject = {
  ...PARAMETERS.agentId,
  description: "The fact's id.",
};
const shared = { tag: "Chat", rateLimited: true, browser: true, auth: "session" } as const;

export const MEMORY_OPERATIONS = operations(shared, {
  "GET /v1/chat/memory": {
    id: "listFacts",
    summary: "Read what the agent remembers",
    description:
      "The facts that the session's agent remembers about its visitor, also after the agent has " +
      "stopped remembering. Empty for a session without a visitor.",
    parameters: ["pageOrigin"],
    responses: [ok("The facts.", json("FactList", { facts: [EXAMPLES.fact] }))],
    errors: ["origin_not_allowed"],
  },
  "DELETE /v1/chat/memory": {
    id: "deleteFacts",
    summary: "Delete what the agent remembers",
    parameters: ["pageOrigin"],
    responses: [noContent("Nothing is remembered any more.")],
    errors: ["origin_not_allowed", "payload_too_large"],
  },
  "PATCH /v1/chat/memory/{id}": {
    id: "editFact",
    summary: "Correct a fact",
    parameters: [id, "pageOrigin"],
    body: { schema: "FactBody", example: { text: EXAMPLES.fact.text } },
    responses: [noContent("The fact is changed.")],
    errors: ["origin_not_allowed", "not_found"],
  },
  "DELETE /v1/chat/memory/{id}": {
    id: "deleteFact",
    summary: "Delete a fact",
    parameters: [id, "pageOrigin"],
    responses: [noContent("The fact is deleted.")],
    errors: ["origin_not_allowed", "not_found", "payload_too_large"],
  },
});
