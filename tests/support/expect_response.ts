import { assertEquals, assertMatch } from "@std/assert";
import {
  ERROR_STATUS,
  type ErrorCode,
  type ErrorEnvelope,
  type ValidationIssue,
} from "@/lib/schemas/error_codes.ts";
import { openAiErrorSchema, openAiErrorType } from "@/lib/schemas/openai_error.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Expects the error envelope of the specification's section 7 and returns it. */
export async function expectError(response: Response, code: ErrorCode): Promise<ErrorEnvelope> {
  const text = await response.text();
  assertEquals(response.status, ERROR_STATUS[code], text);
  assertEquals(response.headers.get("content-type"), "application/json");
  assertMatch(response.headers.get("x-request-id") ?? "", UUID);
  const body = JSON.parse(text);
  // Some routes answer in OpenAI's envelope, which has other fields.
  if ("error" in body && !("http" in body)) return expectOpenAiError(body, code);
  const envelope: ErrorEnvelope = body;
  const { code: received, message, http, details: _details, ...more } = envelope;
  assertEquals({ received, http, more }, { received: code, http: ERROR_STATUS[code], more: {} });
  assertEquals(typeof message, "string");
  assertEquals(response.headers.has("www-authenticate"), response.status === 401);
  return envelope;
}

function expectOpenAiError(body: unknown, code: ErrorCode): ErrorEnvelope {
  const { error } = openAiErrorSchema.parse(body);
  assertEquals(error.code, code);
  assertEquals(error.type, openAiErrorType(code, ERROR_STATUS[code]));
  const { message, details } = error;
  return { code, message, http: ERROR_STATUS[code], ...details && { details } };
}

/** Expects a 400 whose issues have exactly these paths, in any order. */
export async function expectInvalid(
  response: Response,
  paths: string[],
): Promise<ValidationIssue[]> {
  const { details } = await expectError(response, "schema_validation_failed");
  const issues = details?.issues as ValidationIssue[];
  assertEquals([...new Set(issues.map((issue) => issue.path))].sort(), [...paths].sort());
  for (const { code, message } of issues) {
    assertEquals([typeof code, typeof message], Array(2).fill("string"));
  }
  return issues;
}

/** Expects a JSON response with `status` and returns its body. */
// deno-lint-ignore no-explicit-any -- bodies are looked into field by field
export async function expectJson(response: Response, status: number): Promise<any> {
  const text = await response.text();
  assertEquals(response.status, status, text);
  assertEquals(response.headers.get("content-type"), "application/json");
  return JSON.parse(text);
}
