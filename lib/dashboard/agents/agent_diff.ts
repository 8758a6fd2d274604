import type { Agent } from "../../schemas/agent.ts";
import { FIELD_LABELS } from "./agent_field_labels.ts";
import { type AgentFormField, toFormValues } from "./agent_form.ts";
import { type DiffLine, diffLines } from "./line_diff.ts";

/** No field is without its words. */
const LABELS: Record<Exclude<AgentFormField, "version">, string> = FIELD_LABELS;

/** What is different in one field. */
export interface FieldDiff {
  label: string;
  lines: DiffLine[];
}

/** The fields in which two versions differ, by the labels of the editor. */
export function changedFields(before: Agent, after: Agent): string[] {
  return changedValues(before, after).map(({ label }) => label);
}

export function diffAgents(before: Agent, after: Agent): FieldDiff[] {
  return changedValues(before, after).map(({ label, from, to }) => ({
    label,
    lines: diffLines(from, to),
  }));
}

function changedValues(before: Agent, after: Agent) {
  const [from, to] = [toFormValues(before), toFormValues(after)];
  const fields = Object.entries(LABELS) as [keyof typeof LABELS, string][];
  return fields
    .filter(([field]) => from[field] !== to[field])
    .map(([field, label]) => ({ label, from: from[field], to: to[field] }));
}
