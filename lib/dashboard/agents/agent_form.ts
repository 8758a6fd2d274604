import type { Agent } from "../../schemas/agent.ts";
import {
  formatVariableRows,
  readVariableRows,
  toVariableRows,
  toVariables,
} from "./variable_rows.ts";

export const NEW_AGENT = {
  name: "",
  systemPrompt: "",
  /** A JSON array of `VariableRow`. */
  variables: "[]",
  /** `<provider>/<model>`. */
  model: "",
  /** As `model`, or empty for none. */
  fallback: "",
  /** Empty for none. */
  knowledgeBaseId: "",
  /** As `model`, or empty for none. */
  rerank: "",
  /** The kinds of files that messages may have, separated by spaces. */
  attachments: "",
  /** `on`, or empty for off. */
  followUps: "",
  /** `on`, or empty for off. */
  memory: "",
  /** What is worth remembering; empty for none. */
  memoryInstructions: "",
  temperature: "",
  topP: "",
  /** Blank for the model's default. */
  reasoningEffort: "",
  /** One entry per line. */
  stopSequences: "",
  /** JSON; empty for none. */
  responseSchema: "",
  maxOutputTokens: "",
  maxCostUsd: "0.25",
  maxSteps: "8",
  wallClockSeconds: "60",
  /** Empty for the plan's. */
  retentionDays: "",
  /** A JSON array. */
  tools: "[]",
  /** One entry per line. */
  allowedDomains: "",
  allowedOrigins: "",
  /** `yes`, or empty. */
  nativeApps: "",
  /** JSON; empty for none. Edited on its own page, and copied with the agent. */
  appearance: "",
  /** JSON; empty for none. Like the appearance. */
  handoff: "",
  guardrails: "",
  /** The version that was edited; empty for a new agent. */
  version: "",
};

/** The agent's fields of `attachments`. */
const ATTACHMENT_KINDS = ["images", "documents"] as const;

export type AgentFormValues = typeof NEW_AGENT;
export type AgentFormField = keyof AgentFormValues;

/** All fields; a missing one is blank. */
export function readAgentForm(form: URLSearchParams): AgentFormValues {
  const values = Object.keys(NEW_AGENT).map((field) => [field, form.get(field) ?? ""]);
  const variables = readVariableRows(form) ?? NEW_AGENT.variables;
  return { ...Object.fromEntries(values), variables } as AgentFormValues;
}

/** Only the fields that the form has: a page of the editor has some of them. */
export function readAgentFields(form: URLSearchParams): Partial<AgentFormValues> {
  const fields = Object.keys(NEW_AGENT).filter((field) => form.has(field));
  const variables = readVariableRows(form);
  return {
    ...Object.fromEntries(fields.map((field) => [field, form.get(field) ?? ""])),
    ...variables !== undefined && { variables },
  };
}

export function toFormValues(agent: Agent): AgentFormValues {
  const { modelPolicy: policy, budget, fallback, rerank } = agent;
  return {
    name: agent.name,
    systemPrompt: agent.systemPrompt,
    variables: formatVariableRows(toVariableRows(agent.variables)),
    model: `${policy.provider}/${policy.model}`,
    fallback: fallback === undefined ? "" : `${fallback.provider}/${fallback.model}`,
    knowledgeBaseId: agent.knowledgeBaseId ?? "",
    rerank: rerank === undefined ? "" : `${rerank.provider}/${rerank.model}`,
    attachments: ATTACHMENT_KINDS.filter((kind) => agent.attachments?.[kind]).join(" "),
    followUps: agent.followUps ? "on" : "",
    memory: agent.memory?.enabled ? "on" : "",
    memoryInstructions: agent.memory?.instructions ?? "",
    temperature: String(policy.temperature ?? ""),
    topP: String(policy.topP ?? ""),
    reasoningEffort: policy.reasoningEffort ?? "",
    stopSequences: (policy.stopSequences ?? []).map(escapeLine).join("\n"),
    responseSchema: agent.responseSchema === undefined
      ? ""
      : JSON.stringify(agent.responseSchema, null, 2),
    maxOutputTokens: String(policy.maxOutputTokens ?? ""),
    maxCostUsd: String(budget.maxCostUsd),
    maxSteps: String(budget.maxSteps),
    wallClockSeconds: String(budget.wallClockMs / 1000),
    retentionDays: String(agent.retentionDays ?? ""),
    tools: JSON.stringify(agent.tools, null, 2),
    allowedDomains: agent.allowedDomains.join("\n"),
    allowedOrigins: (agent.allowedOrigins ?? []).join("\n"),
    nativeApps: agent.nativeApps ? "yes" : "",
    appearance: agent.appearance === undefined ? "" : JSON.stringify(agent.appearance, null, 2),
    handoff: agent.handoff === undefined ? "" : JSON.stringify(agent.handoff, null, 2),
    guardrails: agent.guardrails === undefined ? "" : JSON.stringify(agent.guardrails, null, 2),
    version: String(agent.version),
  };
}

/** The body that creates an agent; blank optional fields are omitted. */
export function toAgentBody(values: AgentFormValues): Record<string, unknown> {
  const patch = toAgentPatch(values);
  const {
    fallback,
    rerank,
    modelPolicy,
    allowedOrigins,
    nativeApps,
    appearance,
    variables,
    attachments,
    handoff,
    guardrails,
    retentionDays,
    memory,
    responseSchema,
    ...rest
  } = patch;
  return {
    ...withoutUndefined(rest),
    modelPolicy: withoutUndefined(modelPolicy as Record<string, unknown>),
    ...(fallback === null ? {} : { fallback }),
    ...(rerank === null ? {} : { rerank }),
    ...(appearance === null ? {} : { appearance }),
    ...((variables as unknown[]).length === 0 ? {} : { variables }),
    ...(attachments === null ? {} : { attachments }),
    ...(handoff === null ? {} : { handoff }),
    ...(guardrails === null ? {} : { guardrails }),
    ...(retentionDays === null ? {} : { retentionDays }),
    ...(memory === null ? {} : { memory }),
    ...(responseSchema === null ? {} : { responseSchema }),
    ...((allowedOrigins as string[]).length === 0 ? {} : { allowedOrigins }),
    ...(nativeApps ? { nativeApps } : {}),
  };
}

/**
 * A change of only the fields in `values`, such as those of one page of the editor. A blank optional
 * field is `undefined`, which unsets it; a blank fallback, rerank, appearance, attachments, hand-off,
 * guardrails, memory, retention or response schema is `null`.
 */
export function toAgentPatch(values: Partial<AgentFormValues>): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  const set = <F extends AgentFormField>(field: F, convert: (text: string) => unknown) => {
    const text = values[field];
    if (text !== undefined) patch[field] = convert(text);
  };
  set("name", (text) => text.trim());
  set("systemPrompt", (text) => text);
  set("variables", toVariables);
  set("fallback", (text) => text === "" ? null : toModelName(text));
  set("rerank", (text) => text === "" ? null : toModelName(text));
  set("knowledgeBaseId", (text) => text || undefined);
  set("tools", (text) => text.trim() === "" ? [] : parseJson(text));
  set("appearance", (text) => text.trim() === "" ? null : parseJson(text));
  set("attachments", toAttachments);
  set("followUps", (text) => text === "on" ? true : undefined);
  if (values.memory !== undefined) patch.memory = toMemory(values);
  set("handoff", (text) => text.trim() === "" ? null : parseJson(text));
  set("guardrails", (text) => text.trim() === "" ? null : parseJson(text));
  set("retentionDays", (text) => toNumber(text) ?? null);
  set("responseSchema", (text) => text.trim() === "" ? null : parseJson(text));
  set("allowedDomains", toLines);
  set("allowedOrigins", toLines);
  set("nativeApps", (text) => text !== "");
  const modelPolicy = toModelPolicy(values);
  const budget = toBudget(values);
  if (Object.keys(modelPolicy).length > 0) patch.modelPolicy = modelPolicy;
  if (Object.keys(budget).length > 0) patch.budget = budget;
  return patch;
}

function toModelPolicy(values: Partial<AgentFormValues>) {
  const { model, temperature, topP, reasoningEffort, stopSequences, maxOutputTokens } = values;
  return {
    ...model !== undefined && toModelName(model),
    ...temperature !== undefined && { temperature: toNumber(temperature) },
    ...topP !== undefined && { topP: toNumber(topP) },
    ...reasoningEffort !== undefined && { reasoningEffort: reasoningEffort || undefined },
    ...stopSequences !== undefined && { stopSequences: toStopSequences(stopSequences) },
    ...maxOutputTokens !== undefined && { maxOutputTokens: toNumber(maxOutputTokens) },
  };
}

function toBudget({ maxCostUsd, maxSteps, wallClockSeconds }: Partial<AgentFormValues>) {
  const seconds = toNumber(wallClockSeconds ?? "");
  return {
    ...maxCostUsd !== undefined && { maxCostUsd: toNumber(maxCostUsd) ?? "" },
    ...maxSteps !== undefined && { maxSteps: toNumber(maxSteps) ?? "" },
    ...wallClockSeconds !== undefined &&
      { wallClockMs: seconds === undefined ? "" : Math.round(seconds * 1000) },
  };
}

/** `null` for what an agent without the field has. */
function toMemory({ memory, memoryInstructions = "" }: Partial<AgentFormValues>): unknown {
  const instructions = memoryInstructions.trim();
  if (memory !== "on" && instructions === "") return null;
  return { enabled: memory === "on", ...instructions !== "" && { instructions } };
}

/** `null` without any, so that an agent that takes none is stored as before. */
function toAttachments(text: string): unknown {
  const kinds = text.split(" ").filter((kind) => kind !== "");
  if (kinds.length === 0) return null;
  return Object.fromEntries(kinds.map((kind) => [kind, true]));
}

/** One per line, with the spaces around it; `\n` stands for a line break. */
function toStopSequences(text: string): string[] | undefined {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, "")).filter((line) =>
    line !== ""
  );
  return lines.length === 0 ? undefined : lines.map(unescapeLine);
}

function escapeLine(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function unescapeLine(line: string): string {
  return line.replace(/\\(n|\\)/g, (_, escaped) => escaped === "n" ? "\n" : "\\");
}

export function toLines(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

function toModelName(value: string): { provider: string; model: string } {
  const slash = value.indexOf("/");
  return { provider: value.slice(0, Math.max(0, slash)), model: value.slice(slash + 1) };
}

/** Invalid numbers become NaN, which the schema rejects. */
function toNumber(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}

/** Invalid JSON is returned as text, which the schema rejects. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
