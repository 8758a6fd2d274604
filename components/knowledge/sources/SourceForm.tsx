import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type { SourceIssues, SourceValues } from "@/lib/dashboard/knowledge/source_form.ts";
import { KIND_LABELS } from "@/lib/dashboard/knowledge/source_labels.ts";
import { WEB_SOURCE_BOUNDS } from "@/lib/schemas/limits.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { SOURCE_LABELS, SourceFields } from "./SourceFields.tsx";

export interface SourceFormProps {
  action: string;
  values: SourceValues;
  issues: SourceIssues;
}

/** A website to add. */
export function SourceForm({ action, values, issues }: SourceFormProps) {
  return (
    <PostForm
      {...{ action, issues }}
      labels={SOURCE_LABELS}
      lead={t("Couldn't add the website.")}
      class="card stack"
    >
      <h2>{t("Add a website")}</h2>
      <Field
        name="url"
        label={SOURCE_LABELS.url}
        issue={issues.url}
        help={t(
          "Of a page, or of a sitemap. Only this host is asked, and its robots.txt is obeyed.",
        )}
      >
        {(attributes) => (
          <input
            type="text"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            {...attributes}
            value={values.url}
            maxLength={WEB_SOURCE_BOUNDS.urlLength}
            required
          />
        )}
      </Field>
      <div class="columns">
        <Field name="kind" label={SOURCE_LABELS.kind} issue={issues.kind}>
          {(attributes) => (
            <select {...attributes}>
              {Object.entries(KIND_LABELS).map(([name, label]) => (
                <option key={name} value={name} selected={name === values.kind}>{t(label)}</option>
              ))}
            </select>
          )}
        </Field>
        <SourceFields {...{ values, issues }} />
      </div>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Add website")}</button>
      </div>
    </PostForm>
  );
}
