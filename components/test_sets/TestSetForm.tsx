import { Field } from "@/components/Field.tsx";
import { ModelSelect } from "@/components/ModelSelect.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type { ModelGroup } from "@/lib/dashboard/models/model_groups.ts";
import type { TestSetIssues, TestSetValues } from "@/lib/dashboard/test_sets/test_set_form.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export interface TestSetFormProps {
  action: string;
  values: TestSetValues;
  issues: TestSetIssues;
  agents: readonly { id: string; name: string }[];
  models: ModelGroup[];
  submit: string;
  cancelHref: string;
  /** The run whose question becomes its first case. */
  runId?: string | undefined;
}

const LABELS = {
  name: msg("Name"),
  agentId: msg("Agent"),
  threshold: msg("Pass rate required, percent"),
  judge: msg("Judge model"),
  budget: msg("Budget of a run, USD"),
};

export function TestSetForm(
  { action, values, issues, agents, models, submit, cancelHref, runId }: TestSetFormProps,
) {
  const text = (name: "name" | "threshold" | "budget", isNumber: boolean, help?: string) => (
    <Field name={name} label={LABELS[name]} issue={issues[name]} {...help && { help }}>
      {(attributes) => (
        <input
          type="text"
          {...attributes}
          {...isNumber && { inputMode: "decimal" }}
          value={values[name]}
          autocomplete="off"
          required
        />
      )}
    </Field>
  );
  return (
    <PostForm {...{ action, issues }} labels={LABELS} class="stack">
      {runId !== undefined && <input type="hidden" name="runId" value={runId} />}
      {text("name", false)}
      <Field name="agentId" label={LABELS.agentId} issue={issues.agentId}>
        {(attributes) => (
          <select {...attributes} required>
            {agents.map(({ id, name }) => (
              <option key={id} value={id} selected={id === values.agentId}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <div class="columns">
        {text("threshold", true)}
        {text("budget", true, t("Reserved when a run starts. The rest is released when it ends."))}
      </div>
      <Field
        name="judge"
        label={LABELS.judge}
        issue={issues.judge}
        optional
        help={t("Only needed for rubrics. Grading is paid from the budget.")}
      >
        {(attributes) => (
          <ModelSelect
            attributes={attributes}
            groups={models}
            value={values.judge}
            blank={t("None")}
          />
        )}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{submit}</button>
        <a class="button" href={cancelHref} aria-current="false">{t("Cancel")}</a>
      </div>
    </PostForm>
  );
}
