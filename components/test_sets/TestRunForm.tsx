import { BudgetField } from "@/components/BudgetField.tsx";
import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type { TestRunIssues, TestRunValues } from "@/lib/dashboard/test_sets/test_run_form.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

interface TestRunFormProps {
  action: string;
  values: TestRunValues;
  issues: TestRunIssues;
  /** Of the agent, newest first. */
  versions: readonly number[];
}

const LABELS = { version: msg("Version"), budget: msg("Budget in USD") };

/** Which version is tested, and for how much. */
export function TestRunForm({ action, values, issues, versions }: TestRunFormProps) {
  const options: [string, string][] = [
    ["draft", t("Draft (latest saved)")],
    ["published", t("Published")],
    ...versions.map((version): [string, string] => [
      ...[String(version), t("Version {version}", { version })] as const,
    ]),
  ];
  return (
    <PostForm {...{ action, issues }} labels={LABELS} class="card stack">
      <div class="columns">
        <Field name="version" label={LABELS.version} issue={issues.version}>
          {(attributes) => (
            <select {...attributes}>
              {options.map(([value, label]) => (
                <option key={value} value={value} selected={value === values.version}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <BudgetField label={LABELS.budget} value={values.budget} issue={issues.budget} />
      </div>
      <div class="form-actions">
        <button class="button button-primary" type="submit" name="action" value="run">
          {t("Run the tests")}
        </button>
      </div>
    </PostForm>
  );
}
