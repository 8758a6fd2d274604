import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { FIELD_BOUNDS as B } from "../../schemas/limits.ts";
import { FIELD_LABELS } from "./agent_field_labels.ts";
import { type AgentFormField, type AgentFormValues, toLines } from "./agent_form.ts";
import { pageOfField } from "./agent_sections.ts";

/** Messages by field; `form` is for issues outside any field. */
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

/** Maps validation issues of an agent to form fields; the first issue of a field is kept. */
export function toAgentFormIssues(
  issues: readonly ValidationIssue[],
  values: AgentFormValues,
): AgentFormIssues {
  const messages: AgentFormIssues = {};
  for (const issue of issues) {
    const [field, message] = toFieldIssue(issue, values);
    messages[field] ??= message;
  }
  return messages;
}

function toFieldIssue(
  issue: ValidationIssue,
  values: AgentFormValues,
): [AgentFormField | "form", string] {
  const field = FIELD_OF_PATH[issue.path];
  if (field !== undefined) return [field, FIELD_HINTS[field] ?? issue.message];
  const [list, index, ...rest] = issue.path.split(".");
  if (list === "tools") return ["tools", toolMessage(issue, { index, rest, text: values.tools })];
  if (list === "appearance") return ["appearance", `${issue.path}: ${issue.message}.`];
  if (list === "allowedDomains" || list === "allowedOrigins") {
    if (index === undefined) return [list, `At most ${B[list]} entries.`];
    return [list, `“${toLines(values[list])[Number(index)]}” ${issue.message}.`];
  }
  return ["form", `${issue.path === "" ? "The agent" : issue.path}: ${issue.message}.`];
}

function toolMessage(
  issue: ValidationIssue,
  { index, rest, text }: { index: string | undefined; rest: string[]; text: string },
): string {
  if (index !== undefined) {
    const path = rest.length === 0 ? "" : `, ${rest.join(".")}`;
    return `Tool ${Number(index) + 1}${path}: ${issue.message}.`;
  }
  try {
    JSON.parse(text);
  } catch (error) {
    return `This is not valid JSON: ${(error as Error).message}.`;
  }
  return `Enter a JSON array of at most ${B.tools} tools.`;
}

/** Keeps the messages of a page's fields; those of other pages join the form's message. */
export function splitIssues(
  issues: AgentFormIssues,
  fields: readonly AgentFormField[],
): AgentFormIssues {
  const own: AgentFormIssues = {};
  const others = issues.form === undefined ? [] : [issues.form];
  for (const [name, message] of Object.entries(issues)) {
    if (name === "form") continue;
    const field = name as keyof typeof FIELD_LABELS;
    if (fields.includes(field)) own[field] = message;
    else others.push(`${FIELD_LABELS[field]} on the ${pageOfField(field)} page: ${message}`);
  }
  return others.length === 0 ? own : { ...own, form: others.join(" ") };
}
