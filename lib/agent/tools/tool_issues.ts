import { isToolHeader } from "../../egress/outgoing_headers.ts";
import { canonicalJson } from "../../platform/canonical_json.ts";
import type { AgentBody } from "../../schemas/agent.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { isRemoteTool, type ToolDefinition } from "../../schemas/tool_definition.ts";
import { compileWhenNeeded } from "./arguments/validator_cache.ts";
import { CALL_HEADERS } from "./http/call_http_tool.ts";
import { bodyFormat, JSON_TYPE } from "./http/render_body.ts";
import type { HttpTool } from "./http/render_request.ts";
import { argumentNames, hasPlaceholder, visitorNames, wholePlaceholder } from "./template.ts";
import { type DeclaredNames, unknownVariables } from "../visitor_variables.ts";

/**
 * The issues of an agent's tools that its schema does not cover; paths are relative to the agent's body.
 * Tools that are `unchanged` since an earlier save are skipped, because stricter rules must not prevent
 * other changes. Compiling a schema takes up to 50 ms, so others may run between them.
 */
export async function toolIssues(
  tools: readonly ToolDefinition[],
  { unchanged = [], yieldToOthers = yieldToEventLoop }: {
    unchanged?: readonly ToolDefinition[] | undefined;
    yieldToOthers?: () => Promise<void>;
  } = {},
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  const known = new Set(unchanged.map(canonicalJson));
  for (const [n, tool] of tools.entries()) {
    if (tool.type === "agent") continue;
    if (known.has(canonicalJson(tool))) continue;
    if (tool.type === "mcp") {
      issues.push(...headerIssues(tool.headers, `tools.${n}.headers`));
      continue;
    }
    if (n > 0) await yieldToOthers();
    const schema = await schemaIssues(tool.parameters, `tools.${n}.parameters`);
    if (tool.type === "client") {
      const output = tool.output && await schemaIssues(tool.output, `tools.${n}.output`);
      issues.push(...schema, ...output ?? []);
      continue;
    }
    issues.push(
      ...schema,
      ...headerIssues(tool.request.headers, `tools.${n}.request.headers`),
      ...callHeaderIssues(tool.request.headers, `tools.${n}.request.headers`),
      ...bodyIssues(tool.request, `tools.${n}.request.body`),
    );
    // The parameters of an invalid schema are not worth comparing.
    if (schema.length === 0) issues.push(...placeholderIssues(tool, `tools.${n}.request`));
  }
  return issues;
}

/** A timer, because promises alone would not let sockets and timers run. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** A schema of answers that cannot be compiled; one that the agent already had is not checked again. */
export async function responseSchemaIssues(
  { responseSchema }: Pick<AgentBody, "responseSchema">,
  before: Pick<AgentBody, "responseSchema"> | undefined,
): Promise<ValidationIssue[]> {
  if (responseSchema === undefined) return [];
  const known = before?.responseSchema;
  const isKnown = known !== undefined && canonicalJson(known) === canonicalJson(responseSchema);
  return isKnown ? [] : await schemaIssues(responseSchema, "responseSchema");
}

async function schemaIssues(
  parameters: Record<string, unknown>,
  at: string,
): Promise<ValidationIssue[]> {
  const compiled = await compileWhenNeeded(parameters);
  if ("validate" in compiled) return [];
  const path = compiled.path === "" ? at : `${at}.${compiled.path}`;
  return [{ path, code: "invalid_schema", message: compiled.message }];
}

function headerIssues(headers: Record<string, string> | undefined, at: string): ValidationIssue[] {
  const message = "is set by the connection itself";
  return Object.keys(headers ?? {}).filter((name) => !isToolHeader(name))
    .map((name) => ({ path: `${at}.${name}`, code: "reserved_header", message }));
}

/** Each call has its own key, which a fixed or chosen one would make useless. */
function callHeaderIssues(
  headers: Record<string, string> | undefined,
  at: string,
): ValidationIssue[] {
  const message = "is set by the service for each call";
  return Object.keys(headers ?? {})
    .filter((name) => CALL_HEADERS.some((one) => one === name.toLowerCase()))
    .map((name) => ({ path: `${at}.${name}`, code: "reserved_header", message }));
}

/** Without a known format, an argument could become more than one part of the body. */
function bodyIssues(
  { headers = {}, body }: { headers?: Record<string, string> | undefined; body?: unknown },
  at: string,
): ValidationIssue[] {
  if (typeof body !== "string" || !hasPlaceholder(body) || wholePlaceholder(body) !== undefined) {
    return [];
  }
  const types = Object.keys(headers).filter((name) => name.toLowerCase() === "content-type");
  const type = headers[types.at(-1) ?? ""] ?? JSON_TYPE;
  if (bodyFormat(type) !== "unknown") return [];
  const message = `holds a placeholder, and how to encode arguments in ${type} is not known: ` +
    "use JSON, a form, XML or text/plain, or one placeholder for the whole body";
  return [{ path: at, code: "unknown_encoding", message }];
}

/** Keywords that allow arguments without naming them. */
const OPEN_KEYWORDS = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
];

/**
 * Placeholders that no argument can fill, because the tool's `parameters` do not name it: models send
 * only named arguments, so each call would omit the field or fail.
 */
export function placeholderIssues(
  { parameters, request: { url, headers, query, body } }: HttpTool,
  at: string,
): ValidationIssue[] {
  const declared = declaredArguments(parameters);
  if (declared === "any") return [];
  return stringsWithPaths({ url, headers, query, body }, at).flatMap(([path, template]) =>
    argumentNames(template).filter((name) => !declared.has(name)).map((name) => {
      const message = `{{${name}}} is not among the tool's parameters`;
      return { path, code: "unknown_parameter", message };
    })
  );
}

/** Placeholders for variables that the agent does not declare. */
export function visitorIssues(
  tools: readonly ToolDefinition[],
  variables: DeclaredNames,
): ValidationIssue[] {
  return tools.flatMap((tool, n) => {
    if (!isRemoteTool(tool)) return [];
    const templates = tool.type === "http"
      ? stringsWithPaths(tool.request, `tools.${n}.request`)
      : stringsWithPaths(tool.headers, `tools.${n}.headers`);
    return templates.flatMap(([path, template]) =>
      unknownVariables(visitorNames(template), { variables, path })
    );
  });
}

/** The arguments named anywhere in a schema; `"any"` if it deliberately accepts others. */
function declaredArguments(schema: unknown): Set<string> | "any" {
  const names = new Set<string>();
  const pending = [schema];
  while (pending.length > 0) {
    const value = pending.pop();
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
    pending.push(...Object.values(record));
  }
  return names;
}

/** All strings of a JSON value with their dotted paths. */
function stringsWithPaths(value: unknown, path: string): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => stringsWithPaths(inner, `${path}.${key}`));
}
