import { VISITOR_BOUNDS } from "../../schemas/limits.ts";
import { type AgentVariable, VARIABLE_TYPES } from "../../schemas/visitor.ts";
import { tryParseJson } from "../../platform/json.ts";

/** A row of the table of variables, as typed. */
export interface VariableRow {
  name: string;
  type: string;
  default: string;
  description: string;
}

const FIELDS = ["name", "type", "default", "description"] as const;
type RowField = typeof FIELDS[number];

/** Rows to add variables in, below those of the agent. */
const EMPTY_ROWS = 3;

/** The name of a control in the form. */
export function variableControl(row: number, field: RowField): string {
  return `variables.${row}.${field}`;
}

/** The rows of the form without empty ones, as JSON; `undefined` if the form has no such table. */
export function readVariableRows(form: URLSearchParams): string | undefined {
  const has = (row: number) => form.has(variableControl(row, "name"));
  if (!has(0)) return form.get("variables") ?? undefined;
  const rows: VariableRow[] = [];
  for (let n = 0; n < VISITOR_BOUNDS.variables + EMPTY_ROWS && has(n); n++) {
    const read = (field: RowField) => form.get(variableControl(n, field)) ?? "";
    const row = Object.fromEntries(FIELDS.map((field) => [field, read(field)]));
    rows.push({ ...row as unknown as VariableRow, name: read("name").trim() });
  }
  return formatVariableRows(rows.filter((row) => !isEmpty(row)));
}

/** The table as one text, which is compared and shown in differences. */
export function formatVariableRows(rows: readonly VariableRow[]): string {
  return rows.length === 0 ? "[]" : JSON.stringify(rows, null, 2);
}

export function toVariableRows(variables: readonly AgentVariable[] = []): VariableRow[] {
  return variables.map(({ name, type, default: value, description }) => ({
    name,
    type,
    default: value === undefined ? "" : String(value),
    description: description ?? "",
  }));
}

/** The rows in a text of `formatVariableRows`. */
export function parseVariableRows(text: string): VariableRow[] {
  const rows = tryParseJson(text);
  if (!Array.isArray(rows)) return [];
  return rows.map((row) => {
    const fields = FIELDS.map((field) => [field, String(Object(row)[field] ?? "")]);
    return Object.fromEntries(fields) as unknown as VariableRow;
  });
}

/** The rows of the table: those of the agent, and some to add more. */
export function editableRows(text: string): VariableRow[] {
  const rows = parseVariableRows(text);
  const free = Math.max(0, Math.min(EMPTY_ROWS, VISITOR_BOUNDS.variables - rows.length));
  const empty = { name: "", type: VARIABLE_TYPES[0], default: "", description: "" };
  return [...rows, ...Array.from({ length: free }, () => empty)];
}

/** An agent's `variables` from rows; a default that is not of its type stays text, which is rejected. */
export function toVariables(text: string): Record<string, unknown>[] {
  return parseVariableRows(text).map(({ name, type, default: value, description }) => ({
    name,
    type,
    ...value !== "" && { default: toDefault(value, type) },
    ...description.trim() !== "" && { description: description.trim() },
  }));
}

/** The controls of a text, for the values that a form was opened with. */
export function toVariableControls(text: string): Record<string, string> {
  const controls = editableRows(text).flatMap((row, n) =>
    FIELDS.map((field): [string, string] => [variableControl(n, field), row[field]])
  );
  return Object.fromEntries(controls);
}

function toDefault(text: string, type: string): unknown {
  const typed = text.trim();
  if (type === "number" && typed !== "" && Number.isFinite(Number(typed))) return Number(typed);
  if (type === "boolean" && (typed === "true" || typed === "false")) return typed === "true";
  return text;
}

function isEmpty({ name, default: value, description }: VariableRow): boolean {
  return name === "" && value.trim() === "" && description.trim() === "";
}
