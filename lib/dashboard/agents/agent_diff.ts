import { structuredPatch } from "diff";
import type { Agent } from "../../schemas/agent.ts";
import { describeAppearance } from "../appearance/describe_appearance.ts";
import { describeGuardrails } from "../guardrails/describe_guardrails.ts";
import { describeHandoff } from "../handoff/describe_handoff.ts";
import { FIELD_LABELS } from "./agent_field_labels.ts";
import { type AgentFormField, toFormValues } from "./agent_form.ts";

/** A line of a comparison; `gap` replaces unchanged lines that are not shown. */
export type DiffLine = { kind: "same" | "gone" | "new"; text: string } | { kind: "gap" };

export type FieldDiff = { label: string; lines: DiffLine[] };

/** Bounds the time of a comparison; texts with more changes are shown as replaced. */
const MAX_CHANGED_LINES = 1_000;
const ALL_FIELDS = Object.keys(FIELD_LABELS) as AgentFormField[];
const KINDS = { " ": "same", "-": "gone", "+": "new" } as const;

export function changedFields(before: Agent, after: Agent): string[] {
  return changedValues(before, after).map(({ label }) => label);
}

/** Compares all fields, or those of one page of the editor. */
export function diffAgents(
  before: Agent,
  after: Agent,
  fields: readonly AgentFormField[] = ALL_FIELDS,
): FieldDiff[] {
  return changedValues(before, after, fields).map(({ label, from, to }) => ({
    label,
    lines: diffLines(from, to),
  }));
}

function changedValues(
  before: Agent,
  after: Agent,
  included: readonly AgentFormField[] = ALL_FIELDS,
) {
  const [from, to] = [readableValues(before), readableValues(after)];
  const fields = Object.entries(FIELD_LABELS) as [keyof typeof FIELD_LABELS, string][];
  return fields
    .filter(([field]) => included.includes(field) && from[field] !== to[field])
    .map(([field, label]) => ({ label, from: from[field], to: to[field] }));
}

function readableValues(agent: Agent) {
  return {
    ...toFormValues(agent),
    appearance: describeAppearance(agent.appearance),
    handoff: describeHandoff(agent.handoff),
    guardrails: describeGuardrails(agent.guardrails),
  };
}

export function diffLines(before: string, after: string): DiffLine[] {
  const [from, to] = [withFinalNewline(before), withFinalNewline(after)];
  const options = { context: 2, maxEditLength: MAX_CHANGED_LINES };
  const patch = structuredPatch("", "", from, to, "", "", options);
  if (patch === undefined) return [...markLines("gone", from), ...markLines("new", to)];
  const lines: DiffLine[] = [];
  let next = 1;
  for (const hunk of patch.hunks) {
    if (hunk.oldStart > next) lines.push({ kind: "gap" });
    for (const line of hunk.lines) {
      lines.push({ kind: KINDS[line[0] as keyof typeof KINDS], text: line.slice(1) });
    }
    next = hunk.oldStart + hunk.oldLines;
  }
  if (next <= linesOf(from).length) lines.push({ kind: "gap" });
  return lines;
}

/** So that a last line without a newline equals the same line in the middle of the other text. */
function withFinalNewline(text: string): string {
  return text === "" ? "" : `${text}\n`;
}

function linesOf(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

function markLines(kind: "gone" | "new", text: string): DiffLine[] {
  return linesOf(text).map((line) => ({ kind, text: line }));
}
