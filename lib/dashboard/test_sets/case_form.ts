import { tryParseJson } from "../../platform/json.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { TEST_BOUNDS } from "../../schemas/limits.ts";
import type { Expectation, TestCase, TestCaseBody } from "../../schemas/test_case.ts";
import { translateMessage } from "../texts/service_message.ts";
import { t } from "../texts/translate.ts";

/** One expectation, as it was entered; none without a type. */
export interface ExpectationRow {
  type: Expectation["type"] | "";
  /** A text, a title, a tool's name, or the minimum score. */
  value: string;
  /** Arguments or a schema as JSON, or a rubric. */
  detail: string;
  exact: boolean;
  /** The id of a document that is also named by its title. */
  documentId: string;
}

export interface CaseValues {
  name: string;
  question: string;
  rows: ExpectationRow[];
  /** JSON. */
  history: string;
  toolResults: string;
  tags: string;
  enabled: boolean;
}

export interface CaseIssues {
  question?: string;
  history?: string;
  toolResults?: string;
  form?: string;
  /** By the number of the row. */
  rows: Record<number, string>;
}

const BLANK: ExpectationRow = { type: "", value: "", detail: "", exact: false, documentId: "" };
/** Rows for further expectations. */
const BLANK_ROWS = 2;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const EMPTY_CASE: CaseValues = withBlankRows({
  ...{ name: "", question: "", rows: [], history: "", toolResults: "", tags: "", enabled: true },
});

export function withBlankRows(values: CaseValues): CaseValues {
  const used = values.rows.filter(({ type }) => type !== "");
  const blank = Math.min(BLANK_ROWS, TEST_BOUNDS.expectations - used.length);
  return { ...values, rows: [...used, ...Array<ExpectationRow>(blank).fill(BLANK)] };
}

export function caseValues(
  { name = "", question, expectations, history, toolResults, tags, enabled }: TestCase,
): CaseValues {
  const json = (value: unknown) => value === undefined ? "" : JSON.stringify(value, null, 2);
  return withBlankRows({
    ...{ name, question, enabled, tags: tags?.join(", ") ?? "" },
    rows: expectations.map(toRow),
    history: json(history),
    toolResults: json(toolResults),
  });
}

function toRow(one: Expectation): ExpectationRow {
  const json = (value: unknown) => value === undefined ? "" : JSON.stringify(value, null, 2);
  const row = { ...BLANK, type: one.type };
  switch (one.type) {
    case "contains":
    case "not_contains":
      return { ...row, value: one.text, exact: one.caseSensitive ?? false };
    case "cites_document":
      return one.title === undefined
        ? { ...row, value: one.documentId ?? "" }
        : { ...row, value: one.title, documentId: one.documentId ?? "" };
    case "calls_tool":
      return { ...row, value: one.name, detail: json(one.arguments) };
    case "json_schema":
      return { ...row, detail: json(one.schema) };
    case "judged":
      return { ...row, value: String(one.minScore ?? ""), detail: one.rubric };
    default:
      return one satisfies never;
  }
}

export function readCaseForm(form: URLSearchParams): CaseValues {
  const read = (name: string) => form.get(name) ?? "";
  const count = Math.min(Number(read("rows")) || 0, TEST_BOUNDS.expectations);
  const rows = Array.from({ length: count }, (_, n): ExpectationRow => ({
    type: read(`type.${n}`) as ExpectationRow["type"],
    value: read(`value.${n}`),
    detail: read(`detail.${n}`),
    exact: form.has(`exact.${n}`),
    documentId: read(`document.${n}`),
  }));
  return {
    ...{ name: read("name").trim(), question: read("question"), rows, tags: read("tags") },
    ...{ history: read("history").trim(), toolResults: read("toolResults").trim() },
    enabled: form.has("enabled"),
  };
}

/** Stores a case; expected errors become messages of the form, others are thrown. */
export async function saveCase(
  values: CaseValues,
  save: (body: unknown) => Promise<unknown>,
): Promise<{ issues: CaseIssues; status: number } | undefined> {
  const used = values.rows.map((row, n) => ({ row, n })).filter(({ row }) => row.type !== "");
  const issues: CaseIssues = { rows: {} };
  const json = (text: string, reject: (message: string) => void): unknown => {
    if (text.trim() === "") return undefined;
    const value = tryParseJson(text);
    if (value === undefined) reject(t("This is not valid JSON."));
    return value;
  };
  const expectations = used.map(({ row, n }) =>
    toExpectation(row, (text) => json(text, (message) => issues.rows[n] = message))
  );
  const history = json(values.history, (message) => issues.history = message);
  const toolResults = json(values.toolResults, (message) => issues.toolResults = message);
  if (hasIssues(issues)) return { issues, status: 400 };
  const tags = values.tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
  const body: Record<keyof TestCaseBody, unknown> = {
    ...{ name: values.name || undefined, question: values.question, expectations },
    ...{ history, toolResults, enabled: values.enabled },
    tags: tags.length > 0 ? tags : undefined,
  };
  const known = Object.entries(body).filter(([, value]) => value !== undefined);
  try {
    await save(Object.fromEntries(known));
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "not_found") throw error;
    for (const issue of (error.details?.issues ?? []) as ValidationIssue[]) {
      addIssue(issues, issue, used.map(({ n }) => n));
    }
    if (!hasIssues(issues)) issues.form = translateMessage(error.message);
    return { issues, status: error.status };
  }
}

function toExpectation(
  { type, value, detail, exact, documentId }: ExpectationRow,
  json: (text: string) => unknown,
): Record<string, unknown> {
  switch (type) {
    case "contains":
    case "not_contains":
      return { type, text: value, ...exact && { caseSensitive: true } };
    case "cites_document": {
      const title = value.trim();
      if (UUID.test(title)) return { type, documentId: title };
      return { type, title, ...documentId !== "" && { documentId } };
    }
    case "calls_tool": {
      const args = json(detail);
      return { type, name: value.trim(), ...args !== undefined && { arguments: args } };
    }
    case "json_schema":
      return { type, schema: json(detail) };
    case "judged": {
      const minScore = value.trim();
      return { type, rubric: detail, ...minScore !== "" && { minScore: Number(minScore) } };
    }
    default:
      return { type };
  }
}

function hasIssues({ rows, ...others }: CaseIssues): boolean {
  return Object.keys(rows).length + Object.keys(others).length > 0;
}

/** `rows` are the numbers of the rows that the expectations are from. */
function addIssue(issues: CaseIssues, { path, message }: ValidationIssue, rows: readonly number[]) {
  const text = translateMessage(message);
  const [field, n] = path.replace(/^cases\.0\./, "").split(".");
  const row = field === "expectations" && n !== undefined ? rows[Number(n)] : undefined;
  if (row !== undefined) issues.rows[row] ??= text;
  else if (field === "question" || field === "history" || field === "toolResults") {
    issues[field] ??= text;
  } else issues.form ??= path === "" ? text : `${path}: ${text}`;
}
