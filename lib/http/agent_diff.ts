import type { Agent } from "../wire/agent.ts";
import { type AgentFormField, toFormValues } from "./agent_form.ts";
import { type DiffLine, diffLines } from "./line_diff.ts";

/** The editor's words for its fields, in its order. */
export const FIELD_LABELS: Record<Exclude<AgentFormField, "version">, string> = {
  name: "Name",
  systemPrompt: "System prompt",
  model: "Model",
  fallback: "Fallback",
  temperature: "Temperature",
  maxOutputTokens: "Longest answer",
  knowledgeBaseId: "Knowledge base",
  maxCostUsd: "Cost, in USD",
  maxSteps: "Steps",
  wallClockSeconds: "Time, in seconds",
  tools: "Tools",
  allowedDomains: "Allowed domains",
  allowedOrigins: "Allowed origins",
};

/** What is different in one field. */
export interface FieldDiff {
  label: string;
  lines: DiffLine[];
}

/** The fields in which two versions differ, by the labels of the editor. */
export function changedFields(before: Agent, after: Agent): string[] {
  return changed(before, after).map(({ label }) => label);
}

export function diffAgents(before: Agent, after: Agent): FieldDiff[] {
  return changed(before, after).map(({ label, from, to }) => ({
    label,
    lines: diffLines(from, to),
  }));
}

function changed(before: Agent, after: Agent) {
  const [from, to] = [toFormValues(before), toFormValues(after)];
  const fields = Object.entries(FIELD_LABELS) as [keyof typeof FIELD_LABELS, string][];
  return fields
    .filter(([field]) => from[field] !== to[field])
    .map(([field, label]) => ({ label, from: from[field], to: to[field] }));
}
