import { type Auth, type Operation, TAGS } from "./operation.ts";
import { AGENT_OPERATIONS } from "./operations/agents.ts";
import { CHAT_OPERATIONS } from "./operations/chat.ts";
import { CONVERSATION_OPERATIONS } from "./operations/conversations.ts";
import { DOCUMENT_OPERATIONS } from "./operations/documents.ts";
import { KNOWLEDGE_BASE_OPERATIONS } from "./operations/knowledge_bases.ts";
import { SERVICE_OPERATIONS } from "./operations/service.ts";
import { SESSION_OPERATIONS } from "./operations/sessions.ts";
import { USAGE_OPERATIONS } from "./operations/usage.ts";
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  SecurityScheme,
} from "./openapi_types.ts";
import { HEADERS } from "./headers.ts";
import { PARAMETERS } from "./parameters.ts";
import { renderResponses } from "./render_responses.ts";
import { componentSchemas, schemaRef } from "./schemas.ts";

/** Every documented operation. A new route is one entry in one of these tables, or a test fails. */
export const OPERATIONS: readonly Operation[] = [
  ...AGENT_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...CHAT_OPERATIONS,
  ...CONVERSATION_OPERATIONS,
  ...KNOWLEDGE_BASE_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...SERVICE_OPERATIONS,
];

export const SECURITY_SCHEMES = {
  ApiKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "ck_live_<prefix8>_<secret32>",
    description:
      "An API key, as `Authorization: Bearer <API_KEY>`. For servers only: never ship it " +
      "to a browser. Operations name the scope it needs; a `:write` scope includes its `:read`. " +
      "A key whose scopes all end in `:read` may not chat, nor follow or cancel runs.",
  },
  ServiceSession: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Session",
    description: "A session token, `cs_` and more, that a backend minted for one agent on one " +
      "origin. Safe in a browser.",
  },
} satisfies Record<string, SecurityScheme>;

export const API_SUMMARY =
  "Create chat agents, let pages embed them, and stream their answers as they are made.";

/** What holds for every operation; paragraphs of CommonMark with nothing but code spans in them. */
export const API_DESCRIPTION = [
  "Bodies are JSON with camelCase names; the chat answers as server-sent events. Unknown fields of a " +
  "request are refused, optional ones are left out and never `null`. Text is whole characters: half " +
  "of a surrogate pair, or a NUL, is refused wherever a body holds one, names of fields included. " +
  "Times are ISO 8601 in UTC.",
  "Every refusal under `/v1` is one envelope: `code` is stable and machine-readable, `message` is for " +
  "people, `http` repeats the status. The request's id is in the header `x-request-id`. A method that " +
  "an address does not take is 405 with those it takes in `Allow`; HEAD is GET without the body, and " +
  "OPTIONS tells the methods. An answer that says nothing of caching in `Cache-Control` is `no-store`.",
  "An id that belongs to another tenant is 404, as if it did not exist. A 429 says in `Retry-After` " +
  "how many whole seconds to wait, and `RateLimit` what is left before there is one. What a tenant " +
  "may store is bounded by its plan: past it a creating request is 403 `quota_exceeded`, and " +
  "`details` has what is used and allowed. Clients must ignore fields and frame types that they do not know: later " +
  "versions add some. Codes stay as they are, messages do not. What will go is announced in the " +
  "headers `Deprecation` and `Sunset`, at least six months ahead.",
].join("\n\n");

/** The API as an OpenAPI 3.1 document. The same input gives the same document, byte for byte. */
export function openapiDocument({ baseUrl }: { baseUrl: string }): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Agent Chat Service",
      version: "1",
      summary: API_SUMMARY,
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
  const { id, tag, summary, description, body } = operation;
  const parameters = parametersOf(operation);
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

function parametersOf({ parameters = [], idempotent }: Operation): ParameterObject[] {
  const own = parameters.map((one) => typeof one === "string" ? PARAMETERS[one] : one);
  return idempotent ? [...own, PARAMETERS.idempotencyKey] : own;
}

function renderAuth(auth: Auth): OperationObject["security"] {
  if (auth === "none") return [];
  if (auth === "key or session") return [{ ServiceSession: [] }, { ApiKey: [] }];
  return [{ ApiKey: [auth.scope] }];
}

function renderBody(
  { schema, example, optional, form }: NonNullable<Operation["body"]>,
): NonNullable<OperationObject["requestBody"]> {
  const examples = { example: { value: example } };
  return {
    required: optional !== true,
    content: {
      "application/json": { schema: schemaRef(schema), examples },
      ...(form === undefined ? {} : { "multipart/form-data": { schema: schemaRef(form) } }),
    },
  };
}

let last: { baseUrl: string; document: OpenApiDocument; json: string } | undefined;

/**
 * The document and its text, made once per base URL, of which a process has one: the addresses that
 * serve it take no credential and are never limited, so they must cost next to nothing.
 */
export function cachedOpenApi(baseUrl: string): { document: OpenApiDocument; json: string } {
  if (last?.baseUrl !== baseUrl) {
    const document = openapiDocument({ baseUrl });
    last = { baseUrl, document, json: JSON.stringify(document) };
  }
  return last;
}
