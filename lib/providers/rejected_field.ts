import type { ErrorResponse } from "./protocol.ts";

/** Fields of a request that not every model or server accepts. */
export type OptionalField =
  | "temperature"
  | "topP"
  | "stopSequences"
  | "reasoningEffort"
  | "responseSchema"
  | "cachesPrompt"
  | "toolChoice";

export interface RejectedField {
  field: OptionalField;
  /** False if the response only complains about the value that was sent. */
  isForEveryValue: boolean;
}

/** Words that providers use near the name of a rejected field. */
const COMPLAINT_WORDS =
  "support|deprecat|only|allow|permit|must|range|invalid|extra|unknown|unrecogni|unexpected|unavailable|cannot|should|" +
  "schema";
const OUT_OF_RANGE =
  /range|between|(?:less|greater|more) than|at (?:most|least)|above|below|m(?:ax|in)imum|exceed|[<>≤≥]/i;
/** A schema that the provider cannot follow, or not beside tools, while others may be fine. */
const UNFIT_SCHEMA =
  /invalid (?:json )?schema|too (?:complex|large|many|deep)|grammar|additionalProperties|format\.schema|function call/i;

interface FieldNames {
  field: OptionalField;
  /** A pattern of its names in the bodies of all protocols. */
  names: string;
  /** A short name that counts only where the response names the field separately. */
  param?: string;
  /** Complaints about a value only. */
  isAboutValue: RegExp;
}

/** In the order in which they are looked for. */
const FIELDS: readonly FieldNames[] = [
  { field: "temperature", names: "temperature", isAboutValue: OUT_OF_RANGE },
  { field: "cachesPrompt", names: "cache_?control", isAboutValue: OUT_OF_RANGE },
  { field: "topP", names: "top_?p", isAboutValue: OUT_OF_RANGE },
  {
    field: "stopSequences",
    names: "stop_?sequences?|[\"'`]stop\\\\?[\"'`]",
    param: "stop",
    isAboutValue: OUT_OF_RANGE,
  },
  {
    field: "reasoningEffort",
    names: "reasoning_?effort|thinking|thinking_?(?:config|budget|level)|budget_?tokens|effort|" +
      "output_config(?!\\.format)",
    // Each form is one value.
    isAboutValue: /(?!)/,
  },
  {
    field: "toolChoice",
    names: "tool_?choice|tool_?config|function_?calling_?config",
    isAboutValue: /(?!)/,
  },
  {
    field: "responseSchema",
    names: "response_?(?:format|schema|json_?schema|mime_?type)|response mime type|" +
      "output_(?:format|config)|json_schema",
    isAboutValue: UNFIT_SCHEMA,
  },
];

const PATTERNS = FIELDS.map(({ names, param = names, ...field }) => ({
  ...field,
  inParam: new RegExp(`(?:^|\\.)(?:${names}|${param})(?:\\.|$)`, "i"),
  inText: new RegExp(
    `(?:${COMPLAINT_WORDS}).{0,60}(?<!\\w)(?:${names})(?!\\w)|` +
      `(?<!\\w)(?:${names})(?!\\w).{0,60}(?:${COMPLAINT_WORDS})`,
    "i",
  ),
}));

/**
 * The field that an error response rejects, of those that were sent. If the response names the field
 * separately, as OpenAI's do, only that one counts.
 */
export function rejectedField(
  { status, errorBody = "" }: ErrorResponse,
  isSent: (field: OptionalField) => boolean,
): RejectedField | undefined {
  if (status !== 400 && status !== 422) return undefined;
  // Quotes within a quoted prompt are escaped, so only the provider's own field matches.
  const param = /"param"\s*:\s*"([^"\\]+)"/.exec(errorBody)?.[1];
  const found = PATTERNS.find(({ field, inParam, inText }) =>
    isSent(field) && (param === undefined ? inText.test(errorBody) : inParam.test(param))
  );
  return found && { field: found.field, isForEveryValue: !found.isAboutValue.test(errorBody) };
}
