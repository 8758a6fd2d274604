import type { ParameterObject } from "./openapi_types.ts";

/** Parameters of addresses and headers of requests, by the name operations list them under. */
export const PARAMETERS = {
  agentId: pathParameter("id", "The agent's id.", { type: "string", format: "uuid" }),
  knowledgeBaseId: pathParameter("id", "The knowledge base's id.", {
    type: "string",
    format: "uuid",
  }),
  documentId: pathParameter("documentId", "The document's id.", { type: "string", format: "uuid" }),
  runId: pathParameter("runId", "The `runId` of the `start` frame, also `x-run-id`.", {
    type: "string",
    format: "uuid",
  }),
  after: {
    name: "after",
    in: "query",
    required: false,
    description:
      "The last frame seen: its `id`, or its number. `Last-Event-ID` wins over it, so that who " +
      "comes back to the same URL goes on where it was.",
    schema: { type: "string", maxLength: 64 },
  },
  lastEventId: headerParameter("Last-Event-ID", "The same, as browsers' `EventSource` sends it."),
  version: pathParameter("n", "Which version.", { type: "integer", minimum: 1 }),
  hash: pathParameter("hash", "First 12 hexadecimal digits of the script's hash.", {
    type: "string",
    pattern: "^[0-9a-f]{12}$",
  }),
  limit: {
    name: "limit",
    in: "query",
    required: false,
    description: "Rows of a page.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  },
  cursor: {
    name: "cursor",
    in: "query",
    required: false,
    description: "`nextCursor` of the page before; opaque.",
    schema: { type: "string", minLength: 1, maxLength: 512 },
  },
  ifMatch: headerParameter(
    "If-Match",
    "Do it only if this, or one of a list, is still the agent's `ETag`; else 412.",
  ),
  ifNoneMatch: headerParameter(
    "If-None-Match",
    "Answer 304 if this, or one of a list, is the `ETag`.",
  ),
  ifNoneMatchChange: headerParameter(
    "If-None-Match",
    "Do it only if neither this nor one of a list is the agent's `ETag`; else 412.",
  ),
  origin: {
    ...headerParameter("Origin", "What the visitor's browser sent, forwarded unchanged."),
    required: true,
  },
  ownOrigin: headerParameter("Origin", "Absent, or the service's own."),
  idempotencyKey: {
    ...headerParameter(
      "Idempotency-Key",
      "A word of yours for this one call, for example a UUID. Sent again within 24 hours with the " +
        "same body, the first answer is given again and nothing is created twice.",
    ),
    // Visible ASCII.
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
  pageOrigin: headerParameter(
    "Origin",
    "Sent by browsers; with a session it must be the session's.",
  ),
} satisfies Record<string, ParameterObject>;
export type ParameterName = keyof typeof PARAMETERS;

function pathParameter(
  name: string,
  description: string,
  schema: ParameterObject["schema"],
): ParameterObject {
  return { name, in: "path", required: true, description, schema };
}

function headerParameter(name: string, description: string): ParameterObject {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}
