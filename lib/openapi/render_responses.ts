import { ERROR_STATUS, type ErrorCode, type ErrorEnvelope } from "../wire/error_codes.ts";
import type { MediaType, ResponseObject } from "./document.ts";
import { ERROR_DOCS } from "./error_docs.ts";
import { operationErrorCodes } from "./error_codes_of.ts";
import { FRAME_DOCS } from "./frame_docs.ts";
import { answerHeaders, errorHeaders } from "./headers_of.ts";
import type { HeaderName } from "./headers.ts";
import type { Operation, ResponseContent, SuccessResponse } from "./operation.ts";
import { schemaRef } from "./schemas.ts";

/** The answers of an operation and its refusals, by status. */
export function renderResponses(operation: Operation): Record<string, ResponseObject> {
  const byStatus = Map.groupBy(operationErrorCodes(operation), (code) => ERROR_STATUS[code]);
  const refusals = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries([
    ...operation.responses.map((answer) => [answer.status, renderSuccess(operation, answer)]),
    ...refusals.map(([status, codes]) => [status, renderError(operation, status, codes)]),
  ]);
}

function renderSuccess(operation: Operation, answer: SuccessResponse): ResponseObject {
  const { description, content = [] } = answer;
  const contents = [content].flat();
  const headers = answerHeaders(operation, answer);
  return {
    description,
    ...(headers.length === 0 ? {} : { headers: headerRefs(headers) }),
    ...(contents.length === 0 ? {} : {
      content: Object.fromEntries(contents.map((one) => [one.type, renderContent(one)])),
    }),
  };
}

function renderContent(content: ResponseContent): MediaType {
  if (content.schema === undefined) {
    return { schema: { type: content.type === "application/json" ? "object" : "string" } };
  }
  const schema = schemaRef(content.schema);
  if (content.type === "text/event-stream") return { schema, examples: frameExamples() };
  return { schema, examples: { example: { value: content.example } } };
}

function frameExamples(): NonNullable<MediaType["examples"]> {
  return Object.fromEntries(
    Object.entries(FRAME_DOCS).map(([type, { summary, example }]) => {
      return [type, { summary, value: example }];
    }),
  );
}

/** The examples are named after the codes: they are the codes this operation may answer. */
function renderError(operation: Operation, status: number, codes: ErrorCode[]): ResponseObject {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: ERROR_DOCS[code].when, value: exampleEnvelope(code) }]),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_DOCS[code].when}`).join("\n\n"),
    headers: headerRefs(errorHeaders(operation, status)),
    content: { "application/json": { schema: schemaRef("ErrorEnvelope"), examples } },
  };
}

/** The literal example of a refusal. */
export function exampleEnvelope(code: ErrorCode): ErrorEnvelope {
  const { message, details } = ERROR_DOCS[code];
  return {
    code,
    message,
    http: ERROR_STATUS[code],
    ...(details === undefined ? {} : { details }),
  };
}

function headerRefs(names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
