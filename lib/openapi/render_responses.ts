import { ERROR_STATUS, type ErrorCode, type ErrorEnvelope } from "../wire/error_codes.ts";
import type { MediaType, ResponseObject } from "./document.ts";
import { ERROR_DOCS } from "./error_docs.ts";
import { errorCodesOf } from "./error_codes_of.ts";
import { FRAME_DOCS } from "./frame_docs.ts";
import type { HeaderName } from "./headers.ts";
import type { Answer, Content, Operation } from "./operation.ts";
import { refTo } from "./schemas.ts";

/** The answers of an operation and its refusals, by status. */
export function renderResponses(operation: Operation): Record<string, ResponseObject> {
  const always: HeaderName[] = operation.path.startsWith("/v1/") ? ["x-request-id"] : [];
  const byStatus = Map.groupBy(errorCodesOf(operation), (code) => ERROR_STATUS[code]);
  const refusals = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries([
    ...operation.answers.map((answer) => [answer.status, renderAnswer(answer, always)]),
    ...refusals.map(([status, codes]) => [status, renderRefusal(status, codes)]),
  ]);
}

function renderAnswer(answer: Answer, always: HeaderName[]): ResponseObject {
  const { description, content } = answer;
  const headers = [...always, ...answer.headers ?? []];
  return {
    description,
    ...(headers.length === 0 ? {} : { headers: headerRefs(headers) }),
    ...(content === undefined ? {} : { content: { [content.type]: renderContent(content) } }),
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

function renderRefusal(status: number, codes: ErrorCode[]): ResponseObject {
  const headers: HeaderName[] = ["x-request-id"];
  if (status === 401) headers.push("WWW-Authenticate");
  if (status === 429 || status === 503) headers.push("Retry-After");
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: ERROR_DOCS[code].when, value: exampleEnvelope(code) }]),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_DOCS[code].when}`).join("\n\n"),
    headers: headerRefs(headers),
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
