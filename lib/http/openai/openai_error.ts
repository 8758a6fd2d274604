import {
  ERROR_STATUS,
  type ErrorCode,
  type StreamErrorCode,
  type ValidationIssue,
} from "../../schemas/error_codes.ts";
import type { ApiError } from "../../schemas/api_error.ts";
import { type OpenAiError, openAiErrorType } from "../../schemas/openai_error.ts";

/** Paths whose errors are in OpenAI's envelope. */
export function isOpenAiPath(pathname: string): boolean {
  return /^\/v1\/openai(?:\/|$)/.test(pathname);
}

/** The error of a run, as it is sent inside a stream. */
export function openAiError(
  { code, message }: { code: StreamErrorCode; message: string },
): OpenAiError {
  // Codes that only streams have are failures of the service, too.
  const status = Object.hasOwn(ERROR_STATUS, code) ? ERROR_STATUS[code as ErrorCode] : 500;
  return { message, type: openAiErrorType(code, status), param: null, code };
}

/** Our codes and details in OpenAI's envelope. Headers are those of the error. */
export function openAiErrorResponse(error: ApiError): Response {
  const { status, details, message } = error;
  const issues = details?.issues as ValidationIssue[] | undefined;
  const code = typeof details?.openAiCode === "string" ? details.openAiCode : error.code;
  const body: OpenAiError = {
    message,
    type: openAiErrorType(error.code, status),
    param: (details?.param as string | undefined) ?? (issues?.[0]?.path || null),
    code,
    ...issues === undefined ? {} : { details: { issues } },
  };
  const headers = new Headers(error.headers);
  if (status === 503 && !headers.has("retry-after")) headers.set("retry-after", "1");
  // Tomorrow's budget does not come within a client's two retries.
  if (error.code === "plan_limit_exceeded") headers.set("x-should-retry", "false");
  return Response.json({ error: body }, { status, headers });
}
