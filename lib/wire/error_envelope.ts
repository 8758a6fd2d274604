import { z } from "zod";
import { ERROR_STATUS, type ErrorCode } from "./error_codes.ts";

const CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

/** One fault in a request, for clients and the API document. */
export const validationIssueSchema = z.object({
  path: z.string().describe('Dotted path of the field at fault; `""` for the body itself.'),
  code: z.string().describe("What kind of fault it is."),
  message: z.string().describe("For people; not stable."),
});

/** The one JSON body of every refused request; the zod-free shape is `ErrorEnvelope`. */
export const errorEnvelopeSchema = z.object({
  code: z.enum(CODES).describe("Stable and machine-readable."),
  message: z.string().describe("For people; not stable, not to be parsed."),
  http: z.int().min(400).max(599).describe("The HTTP status, mirrored."),
  details: z.record(z.string(), z.unknown()).optional().describe(
    "Depends on the code: `issues` (a list of ValidationIssue) for `schema_validation_failed`; " +
      "`scope`, `limit` and sometimes `windowSeconds` for a 429; `scope` for `insufficient_scope`, where a single one is missing.",
  ),
});
