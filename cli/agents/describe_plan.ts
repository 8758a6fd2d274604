import type { FolderIssue } from "./parse_source.ts";
import type { Plan, Step } from "./plan.ts";
import { plain } from "./field_changes.ts";

const SIGNS = { create: "+", change: "~", delete: "-" } as const;
const MAX_KEPT = 20;

/** A plan for people. Equal plans have equal texts. */
export function describePlan({ steps, kept }: Plan): string {
  const lines = steps.flatMap(({ type, what, changes }) => [
    `${SIGNS[type]} ${what}`,
    ...changes.map((line) => `    ${line}`),
  ]);
  const more = kept.length - MAX_KEPT;
  return [
    ...lines,
    ...kept.slice(0, MAX_KEPT).map((what) => `  ${what} is not in the folder, and stays`),
    ...more > 0 ? [`  and ${more} more`] : [],
    ...kept.length > 0 ? ["  (--prune deletes them)"] : [],
    summary(steps),
  ].join("\n");
}

function summary(steps: readonly Step[]): string {
  if (steps.length === 0) return "Nothing to change: the service is as the folder says.";
  const count = (type: Step["type"]) => steps.filter((step) => step.type === type).length;
  return `Plan: ${count("create")} to create, ${count("change")} to change, ` +
    `${count("delete")} to delete.`;
}

/** `agents/shop.yaml:12 tools.0.name: is used by another tool` */
export function describeIssue({ file, line, field, message }: FolderIssue): string {
  const at = line === undefined ? plain(file) : `${plain(file)}:${line}`;
  return `${at}${field === "" ? "" : ` ${plain(field)}`}: ${plain(message)}`;
}
