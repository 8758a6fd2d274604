import { isToolHeader } from "../../egress/outgoing_headers.ts";
import { canonicalJson } from "../../platform/canonical_json.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { ToolDefinition } from "../../schemas/tool_definition.ts";
import { compileParameters } from "./arguments/compile_parameters.ts";
import { bodyFormat, JSON_TYPE } from "./http/body_format.ts";
import { placeholderIssues } from "./placeholder_issues.ts";
import { hasPlaceholder, wholePlaceholder } from "./template.ts";

/**
 * What is wrong with an agent's tools beyond their shape, names and hosts, which have been checked
 * before; with paths in the agent's body. `kept` are the agent's tools as they are: one that stays was
 * held to this when it came, and must not keep an agent from being changed when more is asked since.
 * A schema takes up to 50 ms, so each is compiled in a turn of its own: the streams of others go on
 * in between.
 */
export async function toolIssues(
  tools: readonly ToolDefinition[],
  { kept = [], letOthersIn = yieldToEventLoop }: {
    kept?: readonly ToolDefinition[] | undefined;
    letOthersIn?: () => Promise<void>;
  } = {},
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  const stays = new Set(kept.map(canonicalJson));
  for (const [n, tool] of tools.entries()) {
    if (stays.has(canonicalJson(tool))) continue;
    if (tool.type === "mcp") {
      issues.push(...headerIssues(tool.headers, `tools.${n}.headers`));
      continue;
    }
    if (n > 0) await letOthersIn();
    const schema = schemaIssues(tool.parameters, `tools.${n}.parameters`);
    issues.push(
      ...schema,
      ...headerIssues(tool.request.headers, `tools.${n}.request.headers`),
      ...bodyIssues(tool.request, `tools.${n}.request.body`),
    );
    // What a schema names that is none is not worth telling yet.
    if (schema.length === 0) issues.push(...placeholderIssues(tool, `tools.${n}.request`));
  }
  return issues;
}

/** After whatever else waits: promises alone would not let sockets and timers in. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function schemaIssues(parameters: Record<string, unknown>, at: string): ValidationIssue[] {
  const compiled = compileParameters(parameters);
  if ("check" in compiled) return [];
  const path = compiled.path === "" ? at : `${at}.${compiled.path}`;
  return [{ path, code: "invalid_schema", message: compiled.message }];
}

function headerIssues(headers: Record<string, string> | undefined, at: string): ValidationIssue[] {
  const message = "is set by the connection itself";
  return Object.keys(headers ?? {}).filter((name) => !isToolHeader(name))
    .map((name) => ({ path: `${at}.${name}`, code: "reserved_header", message }));
}

/** Without knowing how a text is put together, an argument could become more than one part of it. */
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
