import { z } from "zod";
import { ERROR_STATUS, type ErrorCode } from "./error_codes.ts";

const CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

/** One fault in a request, for clients and the API document. */
export const validationIssueSchema = z.object({
  path: z.string().describe('Dotted path of the field at fault; `""` for the body itself.'),
  code: z.string().describe(
    "What kind of fault it is; `not_plain_text` for text with a NUL or half of a surrogate pair.",
  ),
  message: z.string().describe("For people; not stable."),
});

/** The one JSON body of every refused request; the zod-free shape is `ErrorEnvelope`. */
export const errorEnvelopeSchema = z.object({
  code: z.enum(CODES).describe("Stable and machine-readable."),
  message: z.string().describe("For people; not stable, not to be parsed."),
  http: z.int().min(400).max(599).describe("The HTTP status, mirrored."),
  details: z.looseObject({
    issues: z.array(validationIssueSchema).optional().describe("For `schema_validation_failed`."),
    scope: z.string().optional().describe(
      "Of a 429, what the limit counts; for `insufficient_scope`, the scope the key lacks, if it is one.",
    ),
    limit: z.number().optional().describe("Of a 429, how much is allowed."),
    windowSeconds: z.number().optional().describe("Of a 429 for a window, how long that is."),
  }).optional().describe("Depends on the code, and may have more fields than these."),
});
