import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, operations } from "../operation.ts";

const read = { scope: "agents:read" } as const;
const write = { scope: "agents:write" } as const;
const agent = json("Agent", EXAMPLES.agent);
export const AGENT_OPERATIONS = operations({ tag: "Agents", rateLimited: true }, {
  "GET /v1/agents": {
    id: "listAgents",
    summary: "List agents",
    description: "Newest first, one page at a time.",
    auth: read,
    parameters: ["limit", "cursor"],
    responses: [ok("One page.", json("AgentPage", { data: [EXAMPLES.agent] }))],
    errors: ["schema_validation_failed"],
  },
  "POST /v1/agents": {
    id: "createAgent",
    summary: "Create an agent",
    description: "Unknown fields are rejected. Omit optional fields; they are never `null`.",
    auth: write,
    idempotent: true,
    body: { schema: "AgentBody", example: EXAMPLES.agentBody },
    responses: [created("The agent.", agent, ["Location", "ETag"])],
    errors: ["quota_exceeded"],
  },
  "GET /v1/agents/{id}": {
    id: "getAgent",
    summary: "Read an agent",
    auth: read,
    parameters: ["agentId", "ifNoneMatch"],
    responses: [
      ok("The agent.", agent, ["ETag"]),
      { status: 304, description: "`If-None-Match` contains this version.", headers: ["ETag"] },
    ],
    errors: ["not_found"],
  },
  "PATCH /v1/agents/{id}": {
    id: "updateAgent",
    summary: "Change an agent",
    description: "`modelPolicy` and `budget` are merged field by field, lists are replaced, " +
      "`null` removes the fallback, `rerank` and the appearance. The merged agent is validated as a whole, except " +
      "for unchanged tools and an unchanged knowledge base. A patch without changes keeps the version.",
    auth: write,
    parameters: ["agentId", "ifMatch", "ifNoneMatchChange"],
    body: { schema: "AgentPatch", example: { budget: { maxSteps: 8 }, fallback: null } },
    responses: [ok("The changed agent.", agent, ["ETag"])],
    errors: ["not_found", "version_conflict", "quota_exceeded"],
  },
  "DELETE /v1/agents/{id}": {
    id: "deleteAgent",
    summary: "Delete an agent",
    auth: write,
    parameters: ["agentId", "ifMatch", "ifNoneMatchChange"],
    responses: [noContent("The agent is deleted.")],
    errors: ["not_found", "version_conflict", "payload_too_large"],
  },
  "GET /v1/agents/{id}/versions": {
    id: "listAgentVersions",
    summary: "List an agent's versions",
    auth: read,
    parameters: ["agentId", "limit", "cursor"],
    responses: [
      ok(
        "One page. The last 100 versions are stored, or fewer if the plan says so or is full.",
        json("AgentVersions", { data: [EXAMPLES.agent] }),
      ),
    ],
    errors: ["schema_validation_failed", "not_found"],
  },
  "GET /v1/agents/{id}/versions/{n}": {
    id: "getAgentVersion",
    summary: "Read one version of an agent",
    auth: read,
    parameters: ["agentId", "version"],
    responses: [ok("The agent at this version.", agent)],
    errors: ["not_found"],
  },
  "GET /v1/agents/{id}/feedback": {
    id: "readAgentFeedback",
    summary: "Count the ratings of an agent's answers",
    description:
      "How visitors rated the answers of the days from `from` to `to` (inclusive, at most " +
      "366). A rating counts on the day its answer ended, however often it was changed. Ratings " +
      "still count when the conversation has expired.",
    auth: read,
    parameters: ["agentId", "fromDay", "toDay"],
    responses: [
      ok(
        "The counts.",
        json("AgentFeedback", {
          agentId: EXAMPLES.agent.id,
          ...{ up: 21, down: 3 },
          days: [{ day: "2026-01-15", up: 21, down: 3 }],
        }),
      ),
    ],
    errors: ["schema_validation_failed", "not_found"],
  },
});
