import { secretNames } from "../../agent/tools/template.ts";
import type { ModelAccess } from "../../billing/model_access.ts";
import { ApiError, parseOrThrow } from "../../schemas/api_error.ts";
import { checkBodySchema, type CheckResult } from "../../schemas/configuration.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { testSetBodySchema } from "../../schemas/test_set.ts";
import { isRemoteTool, type ToolDefinition } from "../../schemas/tool_definition.ts";
import type { AgentService } from "../agent_service.ts";

interface CheckDeps {
  agents: Pick<AgentService, "check" | "checkReplacement">;
  access: Pick<ModelAccess, "issues">;
  secrets: { list(tenant: string): Promise<{ name: string }[]> };
}

/**
 * What would be wrong with storing these agents and test sets, of all of them at once. Unlike storing an
 * agent, it also rejects secrets that do not exist: each call of their tools would fail.
 */
export async function checkConfiguration(
  tenant: string,
  body: unknown,
  { agents, access, secrets }: CheckDeps,
): Promise<CheckResult> {
  const sent = parseOrThrow(checkBodySchema, body);
  const known = new Set((await secrets.list(tenant)).map(({ name }) => name));
  const issues: ValidationIssue[] = [];
  for (const [n, { id, body: agent }] of (sent.agents ?? []).entries()) {
    const check = async () => {
      const parsed = id === undefined
        ? await agents.check(tenant, agent)
        : await agents.checkReplacement(tenant, id, agent);
      return missingSecrets(parsed.tools, known);
    };
    issues.push(...await issuesOf(check, `agents.${n}`));
  }
  for (const [n, { body: set }] of (sent.testSets ?? []).entries()) {
    const check = async () => {
      const { judge } = parseOrThrow(testSetBodySchema, set);
      return judge === undefined ? [] : await access.issues(tenant, judge, "judge.model");
    };
    issues.push(...await issuesOf(check, `testSets.${n}`));
  }
  return { issues };
}

/** The issues of a check, whether it returns or throws them. */
async function issuesOf(
  check: () => Promise<ValidationIssue[]>,
  at: string,
): Promise<ValidationIssue[]> {
  const found = await check().catch((error): ValidationIssue[] => {
    const issues = error instanceof ApiError && error.details?.issues;
    if (!Array.isArray(issues)) throw error;
    return issues;
  });
  return found.map((issue) => ({
    ...issue,
    path: issue.path === "" ? at : `${at}.${issue.path}`,
  }));
}

function missingSecrets(
  tools: readonly ToolDefinition[],
  known: ReadonlySet<string>,
): ValidationIssue[] {
  return tools.flatMap((tool, n) => {
    if (!isRemoteTool(tool)) return [];
    const [field, value] = tool.type === "http"
      ? ["request", tool.request]
      : ["headers", tool.headers];
    return [...secretNames(value)].filter((name) => !known.has(name)).map((name) => ({
      path: `tools.${n}.${field}`,
      code: "unknown_secret",
      message: `uses the secret ${name}, which is not stored`,
    }));
  });
}
