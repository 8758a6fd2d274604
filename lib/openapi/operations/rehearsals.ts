import { EXAMPLES } from "../examples.ts";
import { json, noContent, ok, operations } from "../operation.ts";

export const REHEARSAL_OPERATIONS = operations({ tag: "Agents", rateLimited: true }, {
  "GET /v1/agents/{id}/rehearsals": {
    id: "listRehearsals",
    summary: "List the rehearsals of an agent",
    description: "Newest first, one page at a time. They are kept for 30 days.",
    auth: { scope: "conversations:read" },
    parameters: ["agentId", "limit", "cursor"],
    responses: [ok("One page.", json("RehearsalPage", { data: [EXAMPLES.rehearsal] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "POST /v1/agents/{id}/rehearsals": {
    id: "startRehearsal",
    summary: "Replay recorded runs on a version",
    description:
      "Asks a version of the agent what its latest runs were asked, in the background. Nothing but models " +
      "is called, and the agent's knowledge base searched: tools of every kind answer with the results of " +
      "the recorded run, hand-offs and memory included. The budget is set aside first. Its answers need `conversations:read`.",
    auth: { scope: "agents:write" },
    parameters: ["agentId"],
    body: {
      schema: "NewRehearsal",
      example: { version: 4, runs: 50, only: "with_tools", budgetUsd: 2.5 },
    },
    responses: [{
      status: 202,
      description: "The rehearsal has begun.",
      headers: ["Location"],
      content: json("Rehearsal", EXAMPLES.rehearsal),
    }],
    errors: ["not_found", "plan_limit_exceeded"],
  },
  "GET /v1/agents/{id}/rehearsals/{rehearsalId}": {
    id: "getRehearsal",
    summary: "Read a rehearsal with its answers",
    description: "A page of its replayed runs, each with the recorded and the new answer.",
    auth: { scope: "conversations:read" },
    parameters: ["agentId", "rehearsalId", "limit", "cursor"],
    responses: [ok("The rehearsal.", json("RehearsalReport", EXAMPLES.rehearsalReport))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "DELETE /v1/agents/{id}/rehearsals/{rehearsalId}": {
    id: "deleteRehearsal",
    summary: "Delete a rehearsal",
    description: "Stops it, and deletes all of its answers.",
    auth: { scope: "agents:write" },
    parameters: ["agentId", "rehearsalId"],
    responses: [noContent("It is deleted.")],
    errors: ["not_found", "payload_too_large"],
  },
  "POST /v1/agents/{id}/rehearsals/{rehearsalId}/stop": {
    id: "stopRehearsal",
    summary: "Stop a rehearsal",
    description: "Answers that are being made end at once. Nothing happens to one that has ended.",
    auth: { scope: "agents:write" },
    parameters: ["agentId", "rehearsalId"],
    responses: [{ status: 202, description: "It stops, or has ended." }],
    errors: ["not_found", "payload_too_large"],
  },
});
