import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { FIELD_BOUNDS as B } from "../../schemas/limits.ts";
import { type AgentFormField, type AgentFormValues, toLines } from "./agent_form.ts";

/** What to tell the person at each field; `form` is about no field of the form. */
export type AgentFormIssues = Partial<Record<AgentFormField | "form", string>>;

const FIELD_OF_PATH: Record<string, AgentFormField> = {
  name: "name",
  systemPrompt: "systemPrompt",
  "modelPolicy.provider": "model",
  "modelPolicy.model": "model",
  "modelPolicy.temperature": "temperature",
  "modelPolicy.maxOutputTokens": "maxOutputTokens",
  fallback: "fallback",
  "fallback.provider": "fallback",
  "fallback.model": "fallback",
  knowledgeBaseId: "knowledgeBaseId",
  "budget.maxCostUsd": "maxCostUsd",
  "budget.maxSteps": "maxSteps",
  "budget.wallClockMs": "wallClockSeconds",
};

/** What the field takes, for people who do not know what a schema is. */
const FIELD_HINTS: Partial<Record<AgentFormField, string>> = {
  name: `Enter a name of 1 to ${B.agentName} characters.`,
  systemPrompt: `Enter 1 to ${B.systemPrompt.toLocaleString("en")} characters.`,
  model: "Choose a model that your plan includes.",
  fallback: "Choose a model that your plan includes, or no fallback.",
  knowledgeBaseId: "Choose one of your knowledge bases, or none.",
  temperature: "Enter a number from 0 to 2, or leave it blank.",
  maxOutputTokens: `Enter a whole number from 1 to ${B.maxOutputTokens}, or leave it blank.`,
  maxCostUsd: `Enter an amount from 0 to ${B.maxCostUsd} USD.`,
  maxSteps: `Enter a whole number from 1 to ${B.maxSteps}.`,
  wallClockSeconds: `Enter ${B.minWallClockMs / 1000} to ${B.maxWallClockMs / 1000} seconds.`,
};

/** Puts each issue of a refused agent at the field it is about; the first one of a field counts. */
export function toAgentFormIssues(
  issues: readonly ValidationIssue[],
  values: AgentFormValues,
): AgentFormIssues {
  const faults: AgentFormIssues = {};
  for (const issue of issues) {
    const [field, message] = toFieldIssue(issue, values);
    faults[field] ??= message;
  }
  return faults;
}

function toFieldIssue(
  issue: ValidationIssue,
  values: AgentFormValues,
): [AgentFormField | "form", string] {
  const field = FIELD_OF_PATH[issue.path];
  if (field !== undefined) return [field, FIELD_HINTS[field] ?? issue.message];
  const [list, index, ...rest] = issue.path.split(".");
  if (list === "tools") return ["tools", toolMessage(issue, { index, rest, text: values.tools })];
  if (list === "allowedDomains" || list === "allowedOrigins") {
    const entry = toLines(values[list])[Number(index)];
    const message = index === undefined ? `At most ${B[list]} entries.` : `“${entry}” `;
    return [list, index === undefined ? message : message + issue.message + "."];
  }
  return ["form", `${issue.path === "" ? "The agent" : issue.path}: ${issue.message}.`];
}

function toolMessage(
  issue: ValidationIssue,
  at: { index: string | undefined; rest: string[]; text: string },
): string {
  if (at.index !== undefined) {
    const where = at.rest.length === 0 ? "" : `, ${at.rest.join(".")}`;
    return `Tool ${Number(at.index) + 1}${where}: ${issue.message}.`;
  }
  try {
    JSON.parse(at.text);
  } catch (error) {
    return `This is not valid JSON: ${(error as Error).message}.`;
  }
  return `Enter a JSON array of at most ${B.tools} tools.`;
}
