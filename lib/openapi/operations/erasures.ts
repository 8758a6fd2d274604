import type { ParameterObject } from "../openapi_types.ts";
import { json, ok, operations } from "../operation.ts";
import { PARAMETERS } from "../parameters.ts";

const running = {
  id: "5f0c3f6e-8d5f-4c1b-9a53-0d8f2f7a1b64",
  state: "running",
  requestedAt: "2026-01-15T09:31:00.000Z",
};
const erasureId: ParameterObject = { ...PARAMETERS.agentId, description: "The erasure's id." };

export const ERASURE_OPERATIONS = operations({ tag: "Conversations", rateLimited: true }, {
  "DELETE /v1/visitors/{id}": {
    id: "eraseVisitor",
    summary: "Delete everything of a visitor",
    description:
      "Conversations with all agents, their runs, logs and search entries, hand-offs, feedback, " +
      "files and sessions. Runs in progress are cancelled first. If the state is `running`, the service goes on, also after a " +
      "crash, and meanwhile rejects mints for the visitor with 503. Usage totals and audit entries, " +
      "which do not name visitors, stay. Repeating the call is harmless.",
    auth: { scope: "conversations:write" },
    parameters: ["visitorId"],
    responses: [
      {
        status: 202,
        description: "All is gone if the state is `done`; otherwise, `Location` has the state.",
        headers: ["Location"],
        content: json("VisitorErasure", running),
      },
    ],
    errors: ["schema_validation_failed", "payload_too_large"],
  },
  "GET /v1/visitors/{id}": {
    id: "getVisitor",
    summary: "Read what is stored of a visitor",
    description: "The number of conversations, and the state of an erasure in progress.",
    auth: { scope: "conversations:read" },
    parameters: ["visitorId"],
    responses: [
      ok("What is stored.", json("VisitorProgress", { conversations: 3, erasure: running })),
    ],
    errors: ["schema_validation_failed"],
  },
  "GET /v1/visitors/{id}/export": {
    id: "exportVisitor",
    summary: "Export everything of a visitor",
    description:
      "Lines of JSON: each conversation (`type` is `conversation`) with its `handoff`, followed " +
      "by its runs (`run`), the least recently active first; then hand-offs without a stored " +
      "conversation (`handoff`), files without their content (`attachment`), and feedback on runs " +
      "without a stored conversation (`feedback`). Empty if nothing is stored of the visitor.",
    auth: { scope: "conversations:read" },
    parameters: ["visitorId"],
    responses: [ok("The lines.", { type: "application/x-ndjson" })],
    errors: ["schema_validation_failed"],
  },
  "GET /v1/visitor-erasures/{id}": {
    id: "getVisitorErasure",
    summary: "Read the state of an erasure",
    description: "Until 30 days after it has finished.",
    auth: { scope: "conversations:read" },
    parameters: [erasureId],
    responses: [
      ok(
        "The state.",
        json("VisitorErasure", {
          ...running,
          state: "done",
          finishedAt: "2026-01-15T09:31:05.000Z",
        }),
      ),
    ],
    errors: ["not_found"],
  },
});
