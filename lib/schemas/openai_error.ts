import { z } from "zod";
import { validationIssueSchema } from "./error_envelope.ts";

/** OpenAI's error envelope, which its clients read `message`, `param` and `code` from. */
export const openAiErrorSchema = z.object({
  error: z.object({
    message: z.string().describe("For people; not stable."),
    type: z.string().describe("OpenAI's kind of the error, which follows from the status."),
    param: z.string().nullable().describe("The field that is wrong, dotted."),
    code: z.string().describe("Stable and machine-readable; mostly as in our own envelope."),
    details: z.object({ issues: z.array(validationIssueSchema) }).optional()
      .describe("Ours: every problem of an invalid body."),
  }),
});
export type OpenAiError = z.infer<typeof openAiErrorSchema>["error"];

const STATUS_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

/** OpenAI's word for an error of ours. */
export function openAiErrorType(code: string, status: number): string {
  if (code === "plan_limit_exceeded") return "insufficient_quota";
  return STATUS_TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
}
