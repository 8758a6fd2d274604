import { toolIssues, visitorIssues } from "../../agent/tools/tool_issues.ts";
import type { DeclaredNames } from "../../agent/visitor_variables.ts";
import { canonicalJson } from "../../platform/canonical_json.ts";
import { ApiError, parseOrThrow } from "../../schemas/api_error.ts";
import { normalizeDomain } from "../../schemas/domains.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { FIELD_BOUNDS as B } from "../../schemas/limits.ts";
import { type ToolDefinition, toolDefinitionSchema } from "../../schemas/tool_definition.ts";
import { type AgentFormValues, toLines } from "./agent_form.ts";
import { findReachProblem, type ReachRules } from "./find_reach_problem.ts";
import { parseJsonOrUndefined } from "./tool_draft.ts";
import type { ToolProblem } from "./tool_problem.ts";
import { parseVariableRows } from "./variable_rows.ts";
import { msg, t } from "../texts/translate.ts";
import { translateMessage } from "../texts/service_message.ts";

/**
 * All problems of the tools as typed, in all tools at once: the rules of the schema, of templates, and
 * of what tools may reach. Templates of tools that are `unchanged` since an earlier save are not
 * checked, as in saving. Text that is no JSON array has no tools and so no problems here.
 */
export async function findToolProblems(
  { tools: text, allowedDomains, variables = "[]" }:
    & Pick<AgentFormValues, "tools" | "allowedDomains">
    & Partial<Pick<AgentFormValues, "variables">>,
  { unchanged = [], ...reach }: Omit<ReachRules, "allowedDomains"> & {
    unchanged?: readonly ToolDefinition[] | undefined;
  },
): Promise<ToolProblem[]> {
  const value = parseJsonOrUndefined(text);
  const tools: unknown[] = Array.isArray(value) ? value.slice(0, B.tools) : [];
  const domains = toLines(allowedDomains).flatMap((line) => normalizeDomain(line) ?? []);
  const names = new Set<string>();
  const problems: ToolProblem[] = [];
  for (const [n, tool] of tools.entries()) {
    const issues = [
      ...await issuesOf(tool, unchanged),
      ...unknownVariablesOf(tool, parseVariableRows(variables)),
    ];
    const problem = findReachProblem(urlOf(tool), { ...reach, allowedDomains: domains });
    problems.push(
      ...issues.map((issue) => ({ tool: n, ...describeIssue(issue, Object(tool).type) })),
    );
    if (problem !== undefined) problems.push({ tool: n, ...problem });
    const { name } = Object(tool);
    if (typeof name !== "string") continue;
    if (names.has(name)) {
      problems.push({ tool: n, path: "name", message: t("Another tool has this name.") });
    }
    names.add(name);
  }
  return problems;
}

/** Paths are relative to the tool. */
async function issuesOf(
  value: unknown,
  unchanged: readonly ToolDefinition[],
): Promise<ValidationIssue[]> {
  const { tool, issues } = parseTool(value);
  if (tool !== undefined) {
    const known = unchanged.some((one) => canonicalJson(one) === canonicalJson(tool));
    return known ? [] : await templateIssues(tool);
  }
  // Fields that templates do not use need not be right to check templates.
  const { tool: rest } = parseTool({
    ...Object(value),
    ...{ name: "tool", description: "tool", progress: undefined },
    ...{ timeoutMs: undefined, maxResponseBytes: undefined },
    ...{ title: undefined, approval: undefined, idempotent: undefined, parallel: undefined },
  });
  return rest?.type === "http" ? [...issues, ...await templateIssues(rest)] : issues;
}

async function templateIssues(tool: ToolDefinition): Promise<ValidationIssue[]> {
  const issues = await toolIssues([tool]);
  return issues.map(withinTool);
}

/** Checked even in an unchanged tool, because the variables may have changed. */
function unknownVariablesOf(value: unknown, variables: DeclaredNames): ValidationIssue[] {
  const { tool } = parseTool(value);
  return tool === undefined ? [] : visitorIssues([tool], variables).map(withinTool);
}

function withinTool(issue: ValidationIssue): ValidationIssue {
  return { ...issue, path: issue.path.replace(/^tools\.0\.?/, "") };
}

function parseTool(value: unknown): { tool?: ToolDefinition; issues: ValidationIssue[] } {
  try {
    return { tool: parseOrThrow(toolDefinitionSchema, value), issues: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { issues: (error.details?.issues ?? []) as ValidationIssue[] };
  }
}

/** Also of a tool that has other problems. */
function urlOf(tool: unknown): { url: URL; path: string } | undefined {
  const { type, url, request } = Object(tool);
  const [text, path] = type === "mcp" ? [url, "url"] : [Object(request).url, "request.url"];
  const parsed = typeof text === "string" ? URL.parse(text) : null;
  return parsed === null ? undefined : { url: parsed, path };
}

const HINTS: Record<string, string> = {
  name: msg("Use 1 to 64 letters, digits, - and _, starting with a letter."),
  description: msg("Enter 1 to 1,024 characters."),
  progress: msg("Enter one line of at most 80 characters, or leave it blank."),
  title: msg("Enter one line of at most 64 characters, or leave it blank."),
  timeoutMs: msg("Enter 100 to 30,000 milliseconds, or leave it blank."),
  "client.timeoutMs": msg("Enter 1,000 to 60,000 milliseconds, or leave it blank."),
  maxResponseBytes: msg("Enter 1 to 262,144 bytes, or leave it blank."),
};

function describeIssue(
  { path, message }: ValidationIssue,
  type: unknown,
): { path: string; message: string } {
  const hint = HINTS[`${type}.${path}`] ?? HINTS[path];
  return { path, message: hint ?? toSentence(path, message) };
}

/** Names the value within a field that has several, such as one header. */
function toSentence(path: string, english: string): string {
  const message = translateMessage(english);
  const [, name] = /^(?:request\.)?(?:headers|query)\.(.+)$/.exec(path) ?? [];
  if (name !== undefined) return `${name}: ${message}.`;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
