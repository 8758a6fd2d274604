import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { ToolDefinition } from "../../schemas/tool_definition.ts";
import { argumentNames } from "./template.ts";

type HttpTool = Extract<ToolDefinition, { type: "http" }>;

/** Words that let in arguments by other than their name. */
const OPEN_KEYWORDS = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
];

/**
 * Placeholders of a request that no argument can fill, because the tool's `parameters` do not name it:
 * models send what they are told of, so the field would be left out of every call, or fail it. `at` is
 * the path of the request.
 */
export function placeholderIssues(
  { parameters, request }: HttpTool,
  at: string,
): ValidationIssue[] {
  const named = declaredArguments(parameters);
  if (named === "any") return [];
  const { url, headers, query, body } = request;
  const faults: ValidationIssue[] = [];
  for (const [path, template] of stringsWithPaths({ url, headers, query, body }, at)) {
    for (const name of argumentNames(template)) {
      if (named.has(name)) continue;
      const message = `{{${name}}} is not among the tool's parameters`;
      faults.push({ path, code: "unknown_parameter", message });
    }
  }
  return faults;
}

/**
 * The names that a schema gives to arguments, wherever it does: in alternatives and definitions too.
 * `"any"` when it deliberately takes others as well.
 */
function declaredArguments(schema: unknown): Set<string> | "any" {
  const names = new Set<string>();
  const waiting = [schema];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    const record = value as Record<string, unknown>;
    if (OPEN_KEYWORDS.some((word) => Object.hasOwn(record, word) && record[word] !== false)) {
      return "any";
    }
    const { properties, required } = record;
    if (typeof properties === "object" && properties !== null) {
      for (const name of Object.keys(properties)) names.add(name);
    }
    if (Array.isArray(required)) { for (const name of required) names.add(String(name)); }
    waiting.push(...Object.values(record));
  }
  return names;
}

/** Every text in a JSON value with its dotted path. */
function stringsWithPaths(value: unknown, path: string): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => stringsWithPaths(inner, `${path}.${key}`));
}
