import { z } from "zod";
import { ERROR_STATUS, type ErrorCode } from "./error_codes.ts";

const CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

export const validationIssueSchema = z.object({
  path: z.string().describe('Dotted path of the field; `""` for the body itself.'),
  code: z.string()
    .describe("The kind of problem; `not_plain_text` for text with a NUL or a lone surrogate."),
  message: z.string().describe("For people; not stable."),
});

export const errorEnvelopeSchema = z.object({
  code: z.enum(CODES).describe("Stable and machine-readable."),
  message: z.string().describe("For people; not stable, not to be parsed."),
  http: z.int().min(400).max(599).describe("The HTTP status, mirrored."),
  details: z.looseObject({
    issues: z.array(validationIssueSchema).optional().describe("For `schema_validation_failed`."),
    scope: z.string().optional()
      .describe("For a 429, what the limit counts; for `insufficient_scope`, the missing scope."),
    limit: z.number().optional().describe("For a 429, the limit."),
    windowSeconds: z.number().optional().describe("For a 429 of a window, its length."),
  }).optional().describe("Depends on the code; may have more fields."),
});
