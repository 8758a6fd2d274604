import type { OpenApiDocument, OperationObject, ParameterObject } from "./document.ts";
import { HEADERS } from "./headers.ts";
import { API_DESCRIPTION, API_SUMMARY } from "./introduction.ts";
import type { Auth, Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { PARAMETERS } from "./parameters.ts";
import { renderResponses } from "./render_responses.ts";
import { componentSchemas, schemaRef } from "./schemas.ts";
import { SECURITY_SCHEMES } from "./security_schemes.ts";
import { TAGS } from "./tags.ts";

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
