import { isTooDeep, MAX_JSON_DEPTH } from "./json_depth.ts";
import { MAX_PATH_LENGTH, textIssues } from "./text_issues.ts";
import { ERROR_STATUS, type ErrorCode, type ValidationIssue } from "./error_codes.ts";
import { NOT_PLAIN_TEXT, plainTextIssue } from "./plain_text.ts";
import type { z } from "zod";

/** Becomes the error envelope. The message is public: no secrets, no provider's text. */
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

/** Without a limit, the response to a body of unknown fields is six times the size of the body. */
const MAX_ISSUES = 100;

/** `schema_validation_failed` with the first 100 issues. */
export function validationError(allIssues: ValidationIssue[]): ApiError {
  const issues = allIssues.slice(0, MAX_ISSUES)
    .map(({ path, ...rest }) => ({ path: path.slice(0, MAX_PATH_LENGTH), ...rest }));
  const first = issues[0];
  const where = first === undefined || first.path === "" ? "body" : first.path;
  const message = first === undefined ? "the request is not valid" : `${where}: ${first.message}`;
  return new ApiError("schema_validation_failed", message, { details: { issues } });
}

/** Issues from zod with dotted paths, one for each unknown field. */
export function toIssues(error: z.ZodError | undefined): ValidationIssue[] {
  return (error?.issues ?? []).flatMap((issue): ValidationIssue[] => {
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

/** Custom rules may set their own code. */
function issueCode(issue: z.core.$ZodIssue): string {
  const own = issue.code === "custom" ? issue.params?.code : undefined;
  return typeof own === "string" ? own : issue.code ?? "custom";
}

/**
 * Parses input, or throws `schema_validation_failed` with the first 100 issues. Text that is not plain
 * is an issue wherever it is, whatever the schema accepts.
 */
export function parseOrThrow<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  assertSafeJson(value);
  const parsed = schema.safeParse(value);
  const brokenTexts = textIssues(value, MAX_ISSUES);
  // Other issues of the same text follow from this one and are omitted.
  const broken = new Set(brokenTexts.map(({ path }) => path));
  const issues = toIssues(parsed.error).filter(({ path }) => !broken.has(path));
  if (!parsed.success || brokenTexts.length > 0) throw validationError([...brokenTexts, ...issues]);
  return parsed.data;
}

/**
 * For a value of parsed parts, so that only rules between them can fail: stored parts were valid
 * under the rules of their time.
 */
export function parseCombined<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw validationError(toIssues(parsed.error));
  return parsed.data;
}

/** Throws a 400 for JSON that cannot be walked or compared safely, whatever its schema. */
export function assertSafeJson(value: unknown): void {
  if (isTooDeep(value)) {
    const message = `is nested deeper than ${MAX_JSON_DEPTH} levels`;
    throw validationError([{ path: "", code: "too_deep", message }]);
  }
  if (hasReservedKey(value)) {
    // Schemas of free-form objects skip the key. Rejecting it is better than dropping it silently.
    const issue = { code: "unrecognized_keys", message: "is not allowed" };
    throw validationError([{ path: "__proto__", ...issue }]);
  }
}

/** Recursive: only for values of limited depth. */
function hasReservedKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasReservedKey);
}
