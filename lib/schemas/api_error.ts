import { isTooDeep, MAX_JSON_DEPTH } from "./json_depth.ts";
import { MAX_PATH_LENGTH, textIssues } from "./text_issues.ts";
import { ERROR_STATUS, type ErrorCode, type ValidationIssue } from "./error_codes.ts";
import { NOT_PLAIN_TEXT, plainTextIssue } from "./plain_text.ts";
import type { z } from "zod";

/**
 * A refusal that the caller is told of: thrown anywhere below a route, turned into the error
 * envelope once, at the top. Its message is shown, so it never holds a secret or a vendor's text.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** A body of nothing but unknown fields would be answered with six times its size. */
const MAX_ISSUES = 100;

/** `schema_validation_failed` with its list of faults, the first 100 of them. */
export function validationError(faults: ValidationIssue[]): ApiError {
  const issues = faults.slice(0, MAX_ISSUES)
    .map(({ path, ...fault }) => ({ path: path.slice(0, MAX_PATH_LENGTH), ...fault }));
  const first = issues[0];
  const where = first === undefined || first.path === "" ? "body" : first.path;
  const message = first === undefined ? "the request is not valid" : `${where}: ${first.message}`;
  return new ApiError("schema_validation_failed", message, { details: { issues } });
}

/** The faults zod found, with dotted paths; unknown fields are named one by one. */
export function toIssues(error: z.ZodError): ValidationIssue[] {
  return error.issues.flatMap((issue): ValidationIssue[] => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: [...issue.path, key].join("."),
        code: plainTextIssue(key) === undefined ? issue.code : NOT_PLAIN_TEXT,
        message: plainTextIssue(key) ?? "is not a known field",
      }));
    }
    return [{ path: issue.path.join("."), code: issueCode(issue), message: issue.message }];
  });
}

/** A rule of ours may name a code of its own. */
function issueCode(issue: z.core.$ZodIssue): string {
  const own = issue.code === "custom" ? issue.params?.code : undefined;
  return typeof own === "string" ? own : issue.code ?? "custom";
}

/**
 * Parses what somebody sent, or throws `schema_validation_failed` with every fault, the first 100 of
 * them. Text that is not plain is one wherever it stands, whatever the schema says of it.
 */
export function parseOrThrow<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  assertSafeJson(value);
  const parsed = schema.safeParse(value);
  const faults = textIssues(value, MAX_ISSUES);
  // What else is wrong with such a text follows from it: one issue for each, always the same.
  const broken = new Set(faults.map(({ path }) => path));
  const issues = parsed.success
    ? []
    : toIssues(parsed.error).filter(({ path }) => !broken.has(path));
  if (!parsed.success || faults.length > 0) throw validationError([...faults, ...issues]);
  return parsed.data;
}

/**
 * Parses what is put together of parts that each were parsed before: only rules between the parts can
 * be broken. What is stored was taken by the rules of its day.
 */
export function parseCombined<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw validationError(toIssues(parsed.error));
  return parsed.data;
}

/** Refuses, with a 400, JSON that cannot be walked or compared safely, whatever its schema. */
export function assertSafeJson(value: unknown): void {
  if (isTooDeep(value)) {
    const message = `is nested deeper than ${MAX_JSON_DEPTH} levels`;
    throw validationError([{ path: "", code: "too_deep", message }]);
  }
  if (hasReservedKey(value)) {
    // Schemas of free-form objects skip it: accepted and dropped would be worse than refused.
    throw validationError([{
      path: "__proto__",
      code: "unrecognized_keys",
      message: "is not allowed",
    }]);
  }
}

/** Call it on what is known not to be nested deeply. */
function hasReservedKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasReservedKey);
}
