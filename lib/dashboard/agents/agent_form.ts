import type { Agent } from "../../schemas/agent.ts";

export const NEW_AGENT = {
  name: "",
  systemPrompt: "",
  /** `<provider>/<model>`. */
  model: "",
  /** As `model`, or empty for none. */
  fallback: "",
  /** Empty for none. */
  knowledgeBaseId: "",
  temperature: "",
  maxOutputTokens: "",
  maxCostUsd: "0.25",
  maxSteps: "8",
  wallClockSeconds: "60",
  /** A JSON array. */
  tools: "[]",
  /** One entry per line. */
  allowedDomains: "",
  allowedOrigins: "",
  /** The version that was edited; empty for a new agent. */
  version: "",
};

export type AgentFormValues = typeof NEW_AGENT;
export type AgentFormField = keyof AgentFormValues;

export function readAgentForm(form: URLSearchParams): AgentFormValues {
  const values = Object.keys(NEW_AGENT).map((field) => [field, form.get(field) ?? ""]);
  return Object.fromEntries(values) as AgentFormValues;
}

export function toFormValues(agent: Agent): AgentFormValues {
  const { modelPolicy: policy, budget, fallback } = agent;
  return {
    name: agent.name,
    systemPrompt: agent.systemPrompt,
    model: `${policy.provider}/${policy.model}`,
    fallback: fallback === undefined ? "" : `${fallback.provider}/${fallback.model}`,
    knowledgeBaseId: agent.knowledgeBaseId ?? "",
    temperature: String(policy.temperature ?? ""),
    maxOutputTokens: String(policy.maxOutputTokens ?? ""),
    maxCostUsd: String(budget.maxCostUsd),
    maxSteps: String(budget.maxSteps),
    wallClockSeconds: String(budget.wallClockMs / 1000),
    tools: JSON.stringify(agent.tools, null, 2),
    allowedDomains: agent.allowedDomains.join("\n"),
    allowedOrigins: (agent.allowedOrigins ?? []).join("\n"),
    version: String(agent.version),
  };
}

/** The body that creates an agent; blank optional fields are omitted. */
export function toAgentBody(values: AgentFormValues): Record<string, unknown> {
  const { fallback, modelPolicy, allowedOrigins, ...rest } = toAgentPatch(values);
  return {
    ...withoutUndefined(rest),
    modelPolicy: withoutUndefined(modelPolicy as Record<string, unknown>),
    ...(fallback === null ? {} : { fallback }),
    ...((allowedOrigins as string[]).length === 0 ? {} : { allowedOrigins }),
  };
}

/** A blank optional field is `undefined`, which unsets it; a blank fallback is `null`. */
export function toAgentPatch(values: AgentFormValues): Record<string, unknown> {
  const wallClockSeconds = toNumber(values.wallClockSeconds);
  return {
    name: values.name.trim(),
    systemPrompt: values.systemPrompt,
    modelPolicy: {
      ...toModelName(values.model),
      temperature: toNumber(values.temperature),
      maxOutputTokens: toNumber(values.maxOutputTokens),
    },
    fallback: values.fallback === "" ? null : toModelName(values.fallback),
    knowledgeBaseId: values.knowledgeBaseId || undefined,
    budget: {
      maxCostUsd: toNumber(values.maxCostUsd) ?? "",
      maxSteps: toNumber(values.maxSteps) ?? "",
      wallClockMs: wallClockSeconds === undefined ? "" : Math.round(wallClockSeconds * 1000),
    },
    tools: toTools(values.tools),
    allowedDomains: toLines(values.allowedDomains),
    allowedOrigins: toLines(values.allowedOrigins),
  };
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
function toTools(text: string): unknown {
  if (text.trim() === "") return [];
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
