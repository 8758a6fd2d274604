import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type {
  CaseIssues,
  CaseValues,
  ExpectationRow,
} from "@/lib/dashboard/test_sets/case_form.ts";
import { EXPECTATION_LABELS } from "@/lib/dashboard/test_sets/test_set_labels.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

interface CaseFormProps {
  action: string;
  values: CaseValues;
  issues: CaseIssues;
  cancelHref: string;
  /** It exists, and can be deleted. */
  isStored: boolean;
}

const LABELS = {
  name: msg("Name"),
  question: msg("Question"),
  history: msg("Turns before the question, as JSON"),
  toolResults: msg("Results of tools, as JSON"),
  tags: msg("Tags, separated by commas"),
};

/** A question and what its answer must fulfil. Works without scripts: a save adds empty rows. */
export function CaseForm({ action, values, issues, cancelHref, isStored }: CaseFormProps) {
  const { rows: rowIssues, ...fields } = issues;
  const rows = Object.fromEntries(
    Object.entries(rowIssues).map(([n, issue]) => [`value.${n}`, issue]),
  );
  const rowLabels = Object.fromEntries(
    values.rows.map((_, n) => [`value.${n}`, t("Expectation {n}", { n: n + 1 })]),
  );
  const area = (name: "question" | "history" | "toolResults", lines: number, help?: string) => (
    <Field
      name={name}
      label={LABELS[name]}
      issue={issues[name]}
      optional={name !== "question"}
      {...help && { help }}
    >
      {(attributes) => (
        <textarea {...attributes} rows={lines} required={name === "question"} dir="auto">
          {values[name]}
        </textarea>
      )}
    </Field>
  );
  const line = (name: "name" | "tags") => (
    <Field name={name} label={LABELS[name]} optional>
      {(attributes) => (
        <input
          type="text"
          {...attributes}
          value={values[name]}
          autocomplete="off"
        />
      )}
    </Field>
  );
  return (
    <PostForm
      action={action}
      issues={{ ...fields, ...rows }}
      labels={{ ...LABELS, ...rowLabels }}
      class="card stack"
    >
      <input type="hidden" name="rows" value={values.rows.length} />
      {area("question", 3)}
      {values.rows.map((row, n) => <Expectation key={n} n={n} row={row} issue={rowIssues[n]} />)}
      <p class="help">
        {t(
          "Every expectation must be met. Without any, an answer passes unless it fails. Save to add rows.",
        )}
      </p>
      <details open={issues.history !== undefined || issues.toolResults !== undefined}>
        <summary>{t("Name, tags, history and tools")}</summary>
        <div class="stack">
          <div class="columns">
            {line("name")}
            {line("tags")}
          </div>
          {area("history", 4)}
          {area(
            "toolResults",
            4,
            t("Tools are not executed; they return these results. Only search_knowledge runs."),
          )}
        </div>
      </details>
      <label class="check">
        <input type="checkbox" name="enabled" checked={values.enabled} />
        {t("Include in runs")}
      </label>
      <div class="form-actions">
        <button class="button button-primary" type="submit" name="action" value="save">
          {t("Save")}
        </button>
        <a class="button" href={cancelHref} aria-current="false">{t("Cancel")}</a>
        {isStored && (
          <button class="button" type="submit" name="action" value="delete" formNoValidate>
            {t("Delete case")}
          </button>
        )}
      </div>
    </PostForm>
  );
}

function Expectation(
  { n, row, issue }: { n: number; row: ExpectationRow; issue: string | undefined },
) {
  return (
    <fieldset class="stack-small">
      <legend>{t("Expectation {n}", { n: n + 1 })}</legend>
      <div class="columns">
        <Field name={`type.${n}`} label={t("The answer")}>
          {(attributes) => (
            <select {...attributes}>
              <option value="">{t("No expectation")}</option>
              {Object.entries(EXPECTATION_LABELS).map(([type, label]) => (
                <option key={type} value={type} selected={type === row.type}>{t(label)}</option>
              ))}
            </select>
          )}
        </Field>
        <Field
          name={`value.${n}`}
          label={t("Text, title, tool or minimum score")}
          issue={issue}
        >
          {(attributes) => (
            <input type="text" {...attributes} value={row.value} dir="auto" autocomplete="off" />
          )}
        </Field>
      </div>
      <details open={row.detail !== "" || row.exact}>
        <summary>{t("Arguments, schema, rubric, match case")}</summary>
        <div class="stack-small">
          <Field
            name={`detail.${n}`}
            label={t("Arguments or schema as JSON, or a rubric")}
            help={t(
              "The call must include these arguments. A rubric describes a good answer.",
            )}
          >
            {(attributes) => <textarea {...attributes} rows={3} dir="auto">{row.detail}</textarea>}
          </Field>
          <label class="check">
            <input type="checkbox" name={`exact.${n}`} checked={row.exact} />
            {t("Match case")}
          </label>
        </div>
      </details>
      {row.documentId !== "" && (
        <input type="hidden" name={`document.${n}`} value={row.documentId} />
      )}
    </fieldset>
  );
}
