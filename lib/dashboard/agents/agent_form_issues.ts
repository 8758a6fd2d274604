import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { FIELD_BOUNDS as B, VISITOR_BOUNDS as V } from "../../schemas/limits.ts";
import { MEMORY_BOUNDS } from "../../schemas/memory.ts";
import { MAX_STOP_SEQUENCE_LENGTH, MAX_STOP_SEQUENCES } from "../../schemas/model_settings.ts";
import { FIELD_LABELS } from "./agent_field_labels.ts";
import { formatCount } from "../format_amount.ts";
import { type AgentFormField, type AgentFormValues, toLines } from "./agent_form.ts";
import { pageOfField } from "./agent_sections.ts";
import { parseVariableRows } from "./variable_rows.ts";
import { t } from "../texts/translate.ts";
import { translateMessage } from "../texts/service_message.ts";

/** Messages by field; `form` is for issues outside any field. */
export type AgentFormIssues = Partial<Record<AgentFormField | "form", string>>;

const FIELD_OF_PATH: Record<string, AgentFormField> = {
  name: "name",
  systemPrompt: "systemPrompt",
  "modelPolicy.provider": "model",
  "modelPolicy.model": "model",
  "modelPolicy.temperature": "temperature",
  "modelPolicy.maxOutputTokens": "maxOutputTokens",
  "modelPolicy.reasoningEffort": "reasoningEffort",
  "modelPolicy.topP": "topP",
  "modelPolicy.stopSequences": "stopSequences",
  fallback: "fallback",
  "fallback.provider": "fallback",
  "fallback.model": "fallback",
  knowledgeBaseId: "knowledgeBaseId",
  rerank: "rerank",
  "rerank.provider": "rerank",
  "rerank.model": "rerank",
  attachments: "attachments",
  followUps: "followUps",
  "memory.enabled": "memory",
  "memory.instructions": "memoryInstructions",
  "budget.maxCostUsd": "maxCostUsd",
  "budget.maxSteps": "maxSteps",
  "budget.wallClockMs": "wallClockSeconds",
  retentionDays: "retentionDays",
};

/** Issues about the placeholders in a prompt. */
const PROMPT_CODES: readonly string[] = ["unknown_variable", "too_many_placeholders"];

/** How to mend a field. */
function hintOf(field: AgentFormField): string | undefined {
  switch (field) {
    case "name":
      return t("Enter a name of 1 to {max} characters.", { max: B.agentName });
    case "systemPrompt":
      return t("Enter 1 to {max} characters.", { max: formatCount(B.systemPrompt) });
    case "model":
      return t("Choose a model that your plan includes.");
    case "fallback":
      return t("Choose a model that your plan includes, or no fallback.");
    case "rerank":
      return t("Choose a model that your plan includes, or none.");
    case "knowledgeBaseId":
      return t("Choose one of your knowledge bases, or none.");
    case "attachments":
      return t("Choose which files messages may have.");
    case "followUps":
      return t("Choose on or off.");
    case "memoryInstructions":
      return t("Enter at most {max} characters.", { max: MEMORY_BOUNDS.instructions });
    case "temperature":
      return t("Enter a number from 0 to 2, or leave it blank.");
    case "maxOutputTokens":
      return t("Enter a whole number from 1 to {max}, or leave it blank.", {
        max: B.maxOutputTokens,
      });
    case "reasoningEffort":
      return t("Choose one of the efforts.");
    case "topP":
      return t("Enter a number from 0 to 1, or leave it blank.");
    case "stopSequences":
      return t("Enter at most {count} lines of at most {length} characters.", {
        count: MAX_STOP_SEQUENCES,
        length: MAX_STOP_SEQUENCE_LENGTH,
      });
    case "maxCostUsd":
      return t("Enter an amount from 0 to {max} USD.", { max: B.maxCostUsd });
    case "maxSteps":
      return t("Enter a whole number from 1 to {max}.", { max: B.maxSteps });
    case "wallClockSeconds":
      return t("Enter {min} to {max} seconds.", {
        min: B.minWallClockMs / 1000,
        max: B.maxWallClockMs / 1000,
      });
    case "retentionDays":
      return t("Enter a whole number from 0 to the days of your plan, or leave it blank.");
    default:
      return undefined;
  }
}

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
  const message = translateMessage(issue.message);
  if (field === "systemPrompt" && PROMPT_CODES.includes(issue.code)) {
    return [field, t("The prompt: {message}.", { message })];
  }
  if (field !== undefined) return [field, hintOf(field) ?? message];
  const [list, index, ...rest] = issue.path.split(".");
  if (list === "tools") return ["tools", toolMessage(issue, { index, rest, text: values.tools })];
  if (list === "variables") return ["variables", variableMessage(issue, { index, rest, values })];
  if (list === "attachments") return ["attachments", hintOf("attachments") ?? message];
  if (list === "modelPolicy" && index === "stopSequences") {
    return ["stopSequences", hintOf("stopSequences") ?? message];
  }
  if (list === "responseSchema") return [list, schemaMessage(issue, values.responseSchema)];
  if (list === "appearance" || list === "handoff" || list === "guardrails") {
    return [list, `${issue.path}: ${message}.`];
  }
  if (list === "allowedDomains" || list === "allowedOrigins") {
    if (index === undefined) return [list, t("At most {max} entries.", { max: B[list] })];
    return [list, `“${excerptOf(toLines(values[list])[Number(index)] ?? "")}” ${message}.`];
  }
  return ["form", `${issue.path === "" ? t("The agent") : issue.path}: ${message}.`];
}

/** The start of a typed value, which may be as long as the form. */
function excerptOf(text: string): string {
  const characters = [...text];
  const max = 80;
  return characters.length > max ? `${characters.slice(0, max).join("")}…` : text;
}

function variableMessage(
  { message }: ValidationIssue,
  { index, rest, values }: { index: string | undefined; rest: string[]; values: AgentFormValues },
): string {
  if (index === undefined) return t("Enter at most {max} variables.", { max: V.variables });
  const row = parseVariableRows(values.variables)[Number(index)];
  const name = row?.name || `${Number(index) + 1}`;
  if (rest[0] === "name") {
    const reason = translateMessage(message);
    return t("The name of variable “{name}” {reason}.", { name: excerptOf(name), reason });
  }
  if (rest[0] === "default") {
    return t("The default of variable “{name}” does not fit: enter {type}.", {
      name: excerptOf(name),
      type: defaultHint(row?.type),
    });
  }
  return t("Variable “{name}”: {message}.", {
    name: excerptOf(name),
    message: translateMessage(message),
  });
}

function defaultHint(type: string | undefined): string {
  switch (type) {
    case "number":
      return t("a number");
    case "boolean":
      return t("true or false");
    default:
      return t("at most {max} characters", { max: V.defaultLength });
  }
}

function toolMessage(
  issue: ValidationIssue,
  { index, rest, text }: { index: string | undefined; rest: string[]; text: string },
): string {
  if (index !== undefined) {
    const path = rest.length === 0 ? "" : `, ${rest.join(".")}`;
    return t("Tool {index}{path}: {message}.", {
      index: Number(index) + 1,
      path,
      message: translateMessage(issue.message),
    });
  }
  return jsonIssue(text) ?? t("Enter a JSON array of at most {tools} tools.", { tools: B.tools });
}

function schemaMessage({ path, message }: ValidationIssue, text: string): string {
  const issue = jsonIssue(text);
  if (issue !== undefined) return issue;
  const place = path.split(".").slice(1).join(".");
  return place === ""
    ? t("The schema {message}.", { message: translateMessage(message) })
    : `${place}: ${translateMessage(message)}.`;
}

/** Why a text is not JSON. */
function jsonIssue(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return t("This is not valid JSON: {message}.", { message: (error as Error).message });
  }
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
    else {others.push(
        t("{field} on the {field2} page: {message}", {
          field: FIELD_LABELS[field],
          field2: pageOfField(field),
          message,
        }),
      );}
  }
  return others.length === 0 ? own : { ...own, form: others.join(" ") };
}
