import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type { PastedText, PastedTextIssues } from "@/lib/dashboard/knowledge/pasted_text.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { TitleField } from "./TitleField.tsx";

const LABELS = { title: msg("Title"), content: msg("Text") };

export interface PastedTextFormProps {
  action: string;
  values: PastedText;
  issues: PastedTextIssues;
  cancelHref: string;
}

/** A document that is written or pasted instead of uploaded. */
export function PastedTextForm({ action, values, issues, cancelHref }: PastedTextFormProps) {
  return (
    <PostForm {...{ action, issues }} labels={LABELS} class="stack">
      <TitleField label={LABELS.title} value={values.title} issue={issues.title} />
      <Field
        name="content"
        label={LABELS.content}
        issue={issues.content}
        help={t("Plain text or Markdown. Headings help search most.")}
      >
        {(attributes) => <textarea {...attributes} rows={16} required>{values.content}</textarea>}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Add document")}</button>
        <a class="button" href={cancelHref} aria-current="false">{t("Cancel")}</a>
      </div>
    </PostForm>
  );
}
