import { EXAMPLES } from "../examples.ts";
import type { Operation } from "../operation.ts";

const read = { scope: "agents:read" } as const;
const write = { scope: "agents:write" } as const;
const common = { tag: "Agents", rateLimited: true } as const;
const agent = { type: "application/json", schema: "Agent", example: EXAMPLES.agent } as const;

export const AGENT_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "listAgents",
    method: "GET",
    path: "/v1/agents",
    summary: "List agents",
    description: "Newest first, page by page.",
    auth: read,
    parameters: ["limit", "cursor"],
    responses: [{
      status: 200,
      description: "One page.",
      content: {
        type: "application/json",
        schema: "AgentPage",
        example: { data: [EXAMPLES.agent] },
      },
    }],
    errors: ["schema_validation_failed"],
  },
  {
    ...common,
    id: "createAgent",
    method: "POST",
    path: "/v1/agents",
    summary: "Create an agent",
    description: "Unknown fields are refused. Optional fields are left out, never `null`.",
    auth: write,
    idempotent: true,
    body: { schema: "AgentBody", example: EXAMPLES.agentBody },
    responses: [{
      status: 201,
      description: "The agent.",
      headers: ["Location", "ETag"],
      content: agent,
    }],
    errors: ["quota_exceeded"],
  },
  {
    ...common,
    id: "getAgent",
    method: "GET",
    path: "/v1/agents/{id}",
    summary: "Read an agent",
    auth: read,
    parameters: ["agentId", "ifNoneMatch"],
    responses: [
      { status: 200, description: "The agent.", headers: ["ETag"], content: agent },
      { status: 304, description: "`If-None-Match` names this version.", headers: ["ETag"] },
    ],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "updateAgent",
    method: "PATCH",
    path: "/v1/agents/{id}",
    summary: "Change an agent",
    description:
      "`modelPolicy` and `budget` are merged field by field, lists are replaced whole, " +
      '`"fallback": null` removes the fallback. The merged agent is validated as a whole; tools ' +
      "and a knowledge base that it has already are not looked into again. A change that changes " +
      "nothing keeps the version.",
    auth: write,
    parameters: ["agentId", "ifMatch", "ifNoneMatchChange"],
    body: { schema: "AgentPatch", example: { budget: { maxSteps: 8 }, fallback: null } },
    responses: [{
      status: 200,
      description: "The agent as it is now.",
      headers: ["ETag"],
      content: agent,
    }],
    errors: ["not_found", "version_conflict", "quota_exceeded"],
  },
  {
    ...common,
    id: "deleteAgent",
    method: "DELETE",
    path: "/v1/agents/{id}",
    summary: "Delete an agent",
    auth: write,
    parameters: ["agentId", "ifMatch", "ifNoneMatchChange"],
    responses: [{ status: 204, description: "It is gone." }],
    errors: ["not_found", "version_conflict", "payload_too_large"],
  },
  {
    ...common,
    id: "listAgentVersions",
    method: "GET",
    path: "/v1/agents/{id}/versions",
    summary: "List an agent's versions",
    auth: read,
    parameters: ["agentId", "limit", "cursor"],
    responses: [{
      status: 200,
      description: "One page; the last 100 are kept, fewer where the plan says so or is full.",
      content: {
        type: "application/json",
        schema: "AgentVersions",
        example: { data: [EXAMPLES.agent] },
      },
    }],
    errors: ["schema_validation_failed", "not_found"],
  },
  {
    ...common,
    id: "getAgentVersion",
    method: "GET",
    path: "/v1/agents/{id}/versions/{n}",
    summary: "Read one version of an agent",
    auth: read,
    parameters: ["agentId", "version"],
    responses: [{ status: 200, description: "The agent as it was.", content: agent }],
    errors: ["not_found"],
  },
];
