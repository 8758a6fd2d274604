import { isJsonObject } from "../../platform/json.ts";
import type { ReasoningEffort } from "../../schemas/model_settings.ts";
import type { AdaptedRequest } from "../field_fallback.ts";
import { withoutDialect } from "../schema_words.ts";

/** The effort as it is, then what other models have instead: few have `minimal`. */
export const REASONING_FORMS = 3;
const INSTEAD: Readonly<Partial<Record<ReasoningEffort, readonly string[]>>> = {
  minimal: ["none", "low"],
};

export function reasoningFields(
  { reasoningEffort: effort, reasoningForm }: AdaptedRequest,
): { reasoning_effort?: string } {
  if (effort === undefined) return {};
  const form = [effort, ...INSTEAD[effort] ?? []][reasoningForm];
  return form === undefined ? {} : { reasoning_effort: form };
}

/** Structured output; strict mode takes only schemas that name every property as required. */
export function responseFormat(
  { responseSchema, schemaInWords }: AdaptedRequest,
): { response_format?: unknown } {
  if (responseSchema === undefined || schemaInWords) return {};
  const schema = withoutDialect(responseSchema);
  const strict = isStrict(schema);
  return {
    response_format: { type: "json_schema", json_schema: { name: "answer", strict, schema } },
  };
}

/** Keywords that strict mode rejects. */
const UNSUPPORTED = [
  ...["oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
  ...["patternProperties", "propertyNames", "minProperties", "maxProperties"],
  ...["unevaluatedProperties", "unevaluatedItems", "contains", "prefixItems", "uniqueItems"],
  "default",
];
/** Strict mode rejects a schema without any of them, such as one of only an `enum`. */
const KINDS = ["type", "anyOf", "$ref"];

/** Whether strict mode accepts a schema: types everywhere, closed objects, no optional properties. */
export function isStrict(schema: unknown, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > 5) return false;
  if (UNSUPPORTED.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  if (!KINDS.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  const { type, properties = {}, required = [], additionalProperties, items, anyOf, $defs } =
    schema;
  const isObject = type === "object" || Object.hasOwn(schema, "properties");
  // The root must be an object.
  if (depth === 0 && (type !== "object" || anyOf !== undefined)) return false;
  if (isObject) {
    if (additionalProperties !== false || !isJsonObject(properties)) return false;
    const names = Object.keys(properties);
    if (!Array.isArray(required) || !names.every((name) => required.includes(name))) return false;
  }
  const inner = [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(isJsonObject($defs) ? Object.values($defs) : []),
  ];
  return inner.every((one) => isStrict(one, depth + 1));
}
