import { isToolHeader } from "../../egress/outgoing_headers.ts";
import type { ValidationIssue } from "../../wire/error_codes.ts";
import type { ToolDefinition } from "../../wire/tool_definition.ts";
import { compileParameters } from "./argument_check.ts";

/**
 * What is wrong with an agent's tools that only compiling them shows, with paths in the agent's
 * body. Their shape, names and hosts have been checked before. A schema takes up to 50 ms, so each
 * is compiled in a turn of its own: the streams of others go on in between.
 */
export async function toolFaults(
  tools: readonly ToolDefinition[],
  letOthersIn: () => Promise<void> = nextTurn,
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  for (const [n, tool] of tools.entries()) {
    if (tool.type === "mcp") {
      issues.push(...headerFaults(tool.headers, `tools.${n}.headers`));
      continue;
    }
    if (n > 0) await letOthersIn();
    issues.push(
      ...schemaFaults(tool.parameters, `tools.${n}.parameters`),
      ...headerFaults(tool.request.headers, `tools.${n}.request.headers`),
    );
  }
  return issues;
}

/** After whatever else waits: promises alone would not let sockets and timers in. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function schemaFaults(parameters: Record<string, unknown>, at: string): ValidationIssue[] {
  const compiled = compileParameters(parameters);
  if ("check" in compiled) return [];
  const path = compiled.path === "" ? at : `${at}.${compiled.path}`;
  return [{ path, code: "invalid_schema", message: compiled.message }];
}

function headerFaults(headers: Record<string, string> | undefined, at: string): ValidationIssue[] {
  const message = "is set by the connection itself";
  return Object.keys(headers ?? {}).filter((name) => !isToolHeader(name))
    .map((name) => ({ path: `${at}.${name}`, code: "reserved_header", message }));
}
