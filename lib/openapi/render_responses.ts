import type { HeaderName } from "./headers.ts";
import {
  type Operation,
  type ResponseContent,
  type SuccessResponse,
  takesSession,
} from "./operation.ts";
import { ERROR_STATUS, type ErrorCode, type ErrorEnvelope } from "../schemas/error_codes.ts";
import type { MediaType, ResponseObject } from "./openapi_types.ts";
import { ERROR_DOCS } from "./error_docs.ts";
import { FEED_FRAME_DOCS, FRAME_DOCS } from "./frame_docs.ts";
import { openAiErrorType } from "../schemas/openai_error.ts";
import { type SchemaName, schemaRef } from "./schemas.ts";

const BY_STATUS: Partial<Record<number, HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

function errorHeaders(operation: Operation, status: number): HeaderName[] {
  // A server error may occur before the request is counted.
  const rateLimited = operation.rateLimited && status < 500;
  return [...commonHeaders({ ...operation, rateLimited }), ...BY_STATUS[status] ?? []];
}

function commonHeaders(operation: Operation): HeaderName[] {
  const headers: HeaderName[] = operation.path.startsWith("/v1/") ? ["x-request-id"] : [];
  if (operation.rateLimited) headers.push("RateLimit", "RateLimit-Policy");
  if (takesSession(operation)) headers.push("DPoP-Nonce");
  if (operation.browser) {
    headers.push("Access-Control-Allow-Origin", "Access-Control-Expose-Headers");
  }
  return headers;
}

/** The operation's own error codes, and those implied by its credential, body and path. */
function operationErrorCodes(operation: Operation): ErrorCode[] {
  // Outside /v1 errors have no envelope.
  if (!operation.path.startsWith("/v1/")) return [];
  const codes: ErrorCode[] = [];
  const { auth } = operation;
  const takesKey = auth !== "none" && auth !== "session";
  if (takesKey) codes.push("invalid_api_key", "key_restricted", "address_not_allowed");
  if (takesKey && auth !== "key") codes.push("insufficient_scope");
  if (takesSession(operation)) {
    codes.push("session_token_invalid", "use_dpop_nonce");
  }
  if (auth !== "none") codes.push("tenant_suspended");
  codes.push(...operation.errors ?? []);
  if (operation.body !== undefined) {
    codes.push("schema_validation_failed", "payload_too_large", "unsupported_media_type");
  }
  if (operation.idempotent) codes.push("schema_validation_failed", "idempotency_key_reused");
  if (operation.rateLimited) codes.push("rate_limit_exceeded");
  codes.push("method_not_allowed", "internal_error", "service_unavailable");
  return [...new Set(codes)];
}

export function renderResponses(operation: Operation): Record<string, ResponseObject> {
  const byStatus = Map.groupBy(operationErrorCodes(operation), (code) => ERROR_STATUS[code]);
  const errors = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries([
    ...operation.responses.map((success) => [success.status, renderSuccess(operation, success)]),
    ...errors.map(([status, codes]) => [status, renderError(operation, status, codes)]),
  ]);
}

function renderSuccess(operation: Operation, response: SuccessResponse): ResponseObject {
  const { description, content = [] } = response;
  const contents = [content].flat();
  const headers = [...commonHeaders(operation), ...response.headers ?? []];
  if (operation.idempotent) headers.push("Idempotency-Replayed");
  return {
    description,
    ...(headers.length === 0 ? {} : { headers: headerRefs(headers) }),
    ...(contents.length === 0 ? {} : {
      content: Object.fromEntries(
        contents.map((content) => [content.type, renderContent(content)]),
      ),
    }),
  };
}

/** Lines of JSON. */
export const LINES_TYPE = "application/x-ndjson";

/** OpenAPI 3.1 has no word for lines. Generated clients take and return them as a file. */
export function renderLines(lines: SchemaName): MediaType {
  return { schema: { type: "string", format: "binary" }, "x-line-schema": schemaRef(lines) };
}

function renderContent(content: ResponseContent): MediaType {
  if ("lines" in content && content.lines !== undefined) {
    return renderLines(content.lines);
  }
  if (content.schema === undefined) {
    return { schema: { type: content.type === "application/json" ? "object" : "string" } };
  }
  const schema = schemaRef(content.schema);
  if (content.type !== "text/event-stream") {
    return { schema, examples: { example: { value: content.example } } };
  }
  const frames = Object.entries(content.schema === "Frame" ? FRAME_DOCS : FEED_FRAME_DOCS)
    .map(([type, { summary, example }]) => [type, { summary, value: example }]);
  return { schema, examples: Object.fromEntries(frames) };
}

/** The examples are named by their codes. */
function renderError(operation: Operation, status: number, codes: ErrorCode[]): ResponseObject {
  const example = operation.openAi ? exampleOpenAiError : exampleEnvelope;
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: ERROR_DOCS[code].when, value: example(code) }]),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_DOCS[code].when}`).join("\n\n"),
    headers: headerRefs(errorHeaders(operation, status)),
    content: {
      "application/json": {
        schema: schemaRef(operation.openAi ? "OpenAiErrorEnvelope" : "ErrorEnvelope"),
        examples,
      },
    },
  };
}

function exampleOpenAiError(code: ErrorCode) {
  const { message } = ERROR_DOCS[code];
  return { error: { message, type: openAiErrorType(code, ERROR_STATUS[code]), param: null, code } };
}

export function exampleEnvelope(code: ErrorCode): ErrorEnvelope {
  const { message, details } = ERROR_DOCS[code];
  return { code, message, http: ERROR_STATUS[code], ...(details === undefined ? {} : { details }) };
}

function headerRefs(names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
