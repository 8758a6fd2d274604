import { ERROR_STATUS, type ErrorCode, type ErrorEnvelope } from "../wire/error_codes.ts";
import type { MediaType, ResponseObject } from "./document.ts";
import { ERROR_DOCS } from "./error_docs.ts";
import { errorCodesOf } from "./error_codes_of.ts";
import { FRAME_DOCS } from "./frame_docs.ts";
import { headersOfAnswer, headersOfRefusal } from "./headers_of.ts";
import type { HeaderName } from "./headers.ts";
import type { Answer, Content, Operation } from "./operation.ts";
import { refTo } from "./schemas.ts";

/** The answers of an operation and its refusals, by status. */
export function renderResponses(operation: Operation): Record<string, ResponseObject> {
  const byStatus = Map.groupBy(errorCodesOf(operation), (code) => ERROR_STATUS[code]);
  const refusals = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries([
    ...operation.answers.map((answer) => [answer.status, renderAnswer(operation, answer)]),
    ...refusals.map(([status, codes]) => [status, renderRefusal(operation, status, codes)]),
  ]);
}

function renderAnswer(operation: Operation, answer: Answer): ResponseObject {
  const { description, content = [] } = answer;
  const contents = [content].flat();
  const headers = headersOfAnswer(operation, answer);
  return {
    description,
    ...(headers.length === 0 ? {} : { headers: headerRefs(headers) }),
    ...(contents.length === 0 ? {} : {
      content: Object.fromEntries(contents.map((one) => [one.type, renderContent(one)])),
    }),
  };
}

function renderContent(content: Content): MediaType {
  if (content.schema === undefined) {
    return { schema: { type: content.type === "application/json" ? "object" : "string" } };
  }
  const schema = refTo(content.schema);
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
function renderRefusal(operation: Operation, status: number, codes: ErrorCode[]): ResponseObject {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: ERROR_DOCS[code].when, value: exampleEnvelope(code) }]),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_DOCS[code].when}`).join("\n\n"),
    headers: headerRefs(headersOfRefusal(operation, status)),
    content: { "application/json": { schema: refTo("ErrorEnvelope"), examples } },
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
