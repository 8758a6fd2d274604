import { DEFAULT_CANARY_LIMITS } from "../../store/agents/stored_publication.ts";
import type { ErrorCode } from "../../schemas/error_codes.ts";
import type { ParameterName } from "../parameters.ts";
import { json, ok, operations } from "../operation.ts";

const read = { scope: "agents:read" } as const;
const write = { scope: "agents:write" } as const;
const at = "2026-01-15T09:30:00.000Z";
const counts = (conversations: number, errors: number) => ({
  ...{ conversations, answers: 2 * conversations, errors, up: 9, down: 1 },
  ...{ costUsd: 0.004 * conversations, durationMs: 2_400 * conversations },
});
const publication = json("Publication", {
  ...{ mode: "manual", version: 5, latestVersion: 7, previousVersion: 4, changedAt: at },
  gate: { testSetId: "0f5e8d1c-5d51-4a3f-9a55-2a8f1d0c6b7e" },
  canary: {
    ...{ version: 7, percent: 20, limits: DEFAULT_CANARY_LIMITS, startedAt: at },
    answers: { canary: counts(50, 1), published: counts(200, 3) },
  },
});
const whole = [ok("The publication.", publication, ["ETag"])];
const errors: ErrorCode[] = ["not_found", "version_conflict"];
const parameters: ParameterName[] = ["agentId", "ifMatchPublication"];

export const PUBLISHING_OPERATIONS = operations({ tag: "Agents", rateLimited: true }, {
  "GET /v1/agents/{id}/publication": {
    id: "getPublication",
    summary: "Read which version visitors get",
    auth: read,
    parameters: ["agentId"],
    responses: whole,
    errors: ["not_found"],
  },
  "PUT /v1/agents/{id}/publication": {
    id: "setPublication",
    summary: "Publish a version of an agent",
    description:
      "With `manual`, saving makes a draft, and visitors keep the published version: its prompt, tools, " +
      "budget, and also its allowed origins. An earlier version may be published again. With `automatic`, " +
      "as every agent begins, visitors get each version as it is saved. The published version is never " +
      "deleted while it is. A canary ends. With a gate, a version must have passed that, except the one " +
      "that was published before.",
    auth: write,
    parameters,
    body: { schema: "NewPublication", example: { mode: "manual", version: 5 } },
    responses: whole,
    errors,
  },
  "PUT /v1/agents/{id}/publication/gate": {
    id: "setPublishGate",
    summary: "Require versions to pass a test set",
    description:
      "Each version that is published, or that a canary gets, must have passed the test set: " +
      "its latest complete run, with the cases as they are now.",
    auth: write,
    parameters,
    body: {
      schema: "PublishGate",
      example: { testSetId: "0f5e8d1c-5d51-4a3f-9a55-2a8f1d0c6b7e" },
    },
    responses: whole,
    errors,
  },
  "DELETE /v1/agents/{id}/publication/gate": {
    id: "deletePublishGate",
    summary: "Remove the required test set",
    auth: write,
    parameters,
    responses: whole,
    errors: ["schema_validation_failed", ...errors, "payload_too_large"],
  },
  "PUT /v1/agents/{id}/publication/canary": {
    id: "setCanary",
    summary: "Give a share of new conversations another version",
    description:
      "Only of manual publications. A conversation keeps the version that it began with while the canary " +
      "lasts; those that were there before keep the published one. Past a limit the canary is rolled back: " +
      "its conversations continue with the published version. With the version of the current canary, its " +
      "share and limits change; with another, that one begins.",
    auth: write,
    parameters,
    body: {
      schema: "NewCanary",
      example: { version: 7, percent: 20, limits: { errorPercent: 5, costPercent: 150 } },
    },
    responses: whole,
    errors,
  },
  "DELETE /v1/agents/{id}/publication/canary": {
    id: "endCanary",
    summary: "End a canary",
    description: "Its conversations continue with the published version.",
    auth: write,
    parameters,
    responses: whole,
    errors: [...errors, "payload_too_large"],
  },
});
