import { type Auth, type Operation, TAGS, takesSession } from "./operation.ts";
import { AGENT_OPERATIONS } from "./operations/agents.ts";
import { PUBLISHING_OPERATIONS } from "./operations/publishing.ts";
import { CHAT_OPERATIONS } from "./operations/chat.ts";
import { HANDOFF_OPERATIONS } from "./operations/handoffs.ts";
import { CONFIGURATION_OPERATIONS } from "./operations/configuration.ts";
import { CONVERSATION_OPERATIONS } from "./operations/conversations.ts";
import { ERASURE_OPERATIONS } from "./operations/erasures.ts";
import { WEB_SOURCE_OPERATIONS } from "./operations/web_sources.ts";
import { REHEARSAL_OPERATIONS } from "./operations/rehearsals.ts";
import { TEST_RUN_OPERATIONS } from "./operations/test_runs.ts";
import { TEST_SET_OPERATIONS } from "./operations/test_sets.ts";
import { UNANSWERED_OPERATIONS } from "./operations/unanswered.ts";
import { OWN_CONVERSATION_OPERATIONS } from "./operations/own_conversations.ts";
import { FORMAT_OPERATIONS } from "./operations/formats.ts";
import { MEMORY_OPERATIONS } from "./operations/memory.ts";
import { KNOWLEDGE_OPERATIONS } from "./operations/knowledge_bases.ts";
import { MCP_OPERATIONS } from "./operations/mcp.ts";
import { SERVICE_OPERATIONS } from "./operations/service.ts";
import { SESSION_OPERATIONS } from "./operations/sessions.ts";
import { USAGE_OPERATIONS } from "./operations/usage.ts";
import { VISITOR_OPERATIONS } from "./operations/visitors.ts";
import type { OpenApiDocument, OperationObject, SecurityScheme } from "./openapi_types.ts";
import { HEADERS } from "./headers.ts";
import { PARAMETERS } from "./parameters.ts";
import { LINES_TYPE, renderLines, renderResponses } from "./render_responses.ts";
import { componentSchemas, schemaRef } from "./schemas.ts";

/** Every documented operation. A test fails for a route without an entry. */
export const OPERATIONS: readonly Operation[] = [
  ...AGENT_OPERATIONS,
  ...PUBLISHING_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...CHAT_OPERATIONS,
  ...OWN_CONVERSATION_OPERATIONS,
  ...MEMORY_OPERATIONS,
  ...HANDOFF_OPERATIONS,
  ...FORMAT_OPERATIONS,
  ...VISITOR_OPERATIONS,
  ...CONVERSATION_OPERATIONS,
  ...REHEARSAL_OPERATIONS,
  ...TEST_SET_OPERATIONS,
  ...TEST_RUN_OPERATIONS,
  ...UNANSWERED_OPERATIONS,
  ...ERASURE_OPERATIONS,
  ...KNOWLEDGE_OPERATIONS,
  ...WEB_SOURCE_OPERATIONS,
  ...CONFIGURATION_OPERATIONS,
  ...MCP_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...SERVICE_OPERATIONS,
];

const SECURITY_SCHEMES = {
  ApiKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "ck_live_<prefix8>_<secret32>",
    description:
      "An API key, as `Authorization: Bearer <API_KEY>`. For servers only: never send it to a " +
      "browser. Each operation names the required scope; a `:write` scope includes its `:read`. A " +
      "key whose scopes all end in `:read` may not chat, follow or cancel runs. For a key that is " +
      "restricted to agents, other agents and everything of theirs do not exist; lists of conversations " +
      "and questions need `agentId` if there are several, and what concerns all agents is a 403 " +
      "`key_restricted`.",
  },
  ServiceSession: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Session",
    description:
      "A session token, `cs_…`, that a backend minted for one agent on one origin. Safe in " +
      "a browser. If the session is bound to a key, each call also needs a proof in `DPoP`.",
  },
} satisfies Record<string, SecurityScheme>;

/** Applies to every operation; paragraphs of CommonMark with code spans only. */
const API_DESCRIPTION = [
  "Bodies are JSON with camelCase names; chat responses are server-sent events. Unknown fields of a " +
  "request are rejected; omit optional fields, they are never `null`. Text and field names must not " +
  "contain lone surrogates or NUL. Times are ISO 8601 in UTC.",
  "Every error under `/v1` is one envelope: `code` is stable and machine-readable, `message` is for " +
  "people, `http` repeats the status. The request's id is in the header `x-request-id`. An unsupported " +
  "method is 405 with the supported ones in `Allow`; HEAD is GET without the body, and OPTIONS lists " +
  "the methods. Responses are `Cache-Control: no-store` unless stated otherwise.",
  "An id that belongs to another tenant is 404, as if it did not exist. A 429 has the whole seconds to " +
  "wait in `Retry-After`; `RateLimit` shows what remains before that. The plan limits what a tenant " +
  "may store: above it a creating request is 403 `quota_exceeded`, with the used and allowed amounts " +
  "in `details`. Clients must ignore unknown fields and frame types, which later versions may add. " +
  "Codes do not change, messages may. Removals are announced in the headers `Deprecation` and " +
  "`Sunset`, at least six months in advance.",
].join("\n\n");

export function openapiDocument({ baseUrl }: { baseUrl: string }): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Agent Chat Service",
      version: "1",
      summary: "Create chat agents, embed them in pages, and stream their answers.",
      description: API_DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: renderPaths(),
    components: {
      schemas: componentSchemas(),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function renderPaths(): OpenApiDocument["paths"] {
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of OPERATIONS) {
    const methods = paths[operation.path] ??= {};
    methods[operation.method.toLowerCase()] = renderOperation(operation);
  }
  return paths;
}

function renderOperation(operation: Operation): OperationObject {
  const { id, tag, summary, description, body, idempotent } = operation;
  const named = [
    ...operation.parameters ?? [],
    ...takesSession(operation) ? ["dpop" as const] : [],
    ...idempotent ? ["idempotencyKey" as const] : [],
  ];
  const parameters = named.map((name) => typeof name === "string" ? PARAMETERS[name] : name);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: renderAuth(operation.auth),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: renderBody(body) }),
    responses: renderResponses(operation),
    "x-rate-limited": operation.rateLimited,
  };
}

function renderAuth(auth: Auth): OperationObject["security"] {
  if (auth === "none") return [];
  if (auth === "key" || auth === "chat key") return [{ ApiKey: [] }];
  if (auth === "key or session") return [{ ServiceSession: [] }, { ApiKey: [] }];
  if (auth === "session") return [{ ServiceSession: [] }];
  return [{ ApiKey: [auth.scope] }];
}

function renderBody(
  body: NonNullable<Operation["body"]>,
): NonNullable<OperationObject["requestBody"]> {
  if (body.schema === undefined) {
    return { required: true, content: { "multipart/form-data": { schema: schemaRef(body.form) } } };
  }
  const { schema, example, optional, form, lines } = body;
  const examples = { example: { value: example } };
  return {
    required: optional !== true,
    content: {
      "application/json": { schema: schemaRef(schema), examples },
      ...(form === undefined ? {} : { "multipart/form-data": { schema: schemaRef(form) } }),
      ...(lines === undefined ? {} : { [LINES_TYPE]: renderLines(lines) }),
    },
  };
}

let cached: { baseUrl: string; document: OpenApiDocument; json: string } | undefined;

/** Cached: the routes that serve it need no credential and no rate limit, so they must be cheap. */
export function cachedOpenApi(baseUrl: string): { document: OpenApiDocument; json: string } {
  if (cached?.baseUrl !== baseUrl) {
    const document = openapiDocument({ baseUrl });
    cached = { baseUrl, document, json: JSON.stringify(document) };
  }
  return cached;
}
