import { BudgetField } from "@/components/BudgetField.tsx";
import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type {
  RehearsalIssues,
  RehearsalValues,
} from "@/lib/dashboard/rehearsals/rehearsal_form.ts";
import { REHEARSED_RUN_LABELS } from "@/lib/dashboard/rehearsals/rehearsal_labels.ts";
import { REHEARSAL_BOUNDS } from "@/lib/schemas/rehearsal.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export interface RehearsalFormProps {
  action: string;
  values: RehearsalValues;
  issues: RehearsalIssues;
  /** Newest first. */
  versions: readonly number[];
}

const LABELS = {
  version: msg("Version to try"),
  only: msg("Which answers"),
  runs: msg("How many, at most"),
  budget: msg("Budget in USD"),
};

/** What is replayed on which version, and for how much. */
export function RehearsalForm({ action, values, issues, versions }: RehearsalFormProps) {
  return (
    <PostForm {...{ action, issues }} labels={LABELS} class="card stack">
      <div class="columns">
        <Field name="version" label={LABELS.version} issue={issues.version}>
          {(attributes) => (
            <select {...attributes}>
              {versions.map((version, n) => (
                <option key={version} value={version} selected={String(version) === values.version}>
                  {n === 0
                    ? t("Version {version}, the latest", { version })
                    : t("Version {version}", { version })}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field name="only" label={LABELS.only} issue={issues.only}>
          {(attributes) => (
            <select {...attributes}>
              {Object.entries(REHEARSED_RUN_LABELS).map(([name, label]) => (
                <option key={name} value={name} selected={name === values.only}>{t(label)}</option>
              ))}
            </select>
          )}
        </Field>
        <Field
          name="runs"
          label={LABELS.runs}
          issue={issues.runs}
          help={t("The latest ones, up to {runs}.", { runs: REHEARSAL_BOUNDS.runs })}
        >
          {(attributes) => (
            <input
              type="number"
              {...attributes}
              value={values.runs}
              min={1}
              max={REHEARSAL_BOUNDS.runs}
              required
            />
          )}
        </Field>
        <BudgetField label={LABELS.budget} value={values.budget} issue={issues.budget} />
      </div>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Start rehearsal")}</button>
      </div>
    </PostForm>
  );
}
