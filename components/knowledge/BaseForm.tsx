import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type {
  KnowledgeBaseFormIssues,
  KnowledgeBaseFormValues,
} from "@/lib/dashboard/knowledge/save_knowledge_base.ts";
import { KNOWLEDGE_LANGUAGES } from "@/lib/schemas/knowledge_languages.ts";
import { KNOWLEDGE_BOUNDS } from "@/lib/schemas/limits.ts";
import { msg, perLanguage, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = { name: "Name", description: msg("Description"), language: msg("Language") };
/** Sorted by name. */
const languages = perLanguage((language) => {
  const names = new Intl.DisplayNames(language, { type: "language" });
  return KNOWLEDGE_LANGUAGES.map((code) => ({ code, name: names.of(code)! }))
    .sort((a, b) => a.name.localeCompare(b.name, language));
});

export interface BaseFormProps {
  action: string;
  submit: string;
  values: KnowledgeBaseFormValues;
  issues: KnowledgeBaseFormIssues;
  /** Target of "Cancel" on a page; omitted in a dialog, which "Cancel" closes. */
  cancelHref?: string;
}

/** The name, purpose and language of a knowledge base. */
export function BaseForm({ action, submit, values, issues, cancelHref }: BaseFormProps) {
  return (
    <PostForm {...{ action, issues }} labels={LABELS} class="stack">
      <Field
        name="name"
        label={LABELS.name}
        issue={issues.name}
        help={t("The topic of its documents, for example “Shipping and returns”.")}
      >
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={values.name}
            required
            maxLength={KNOWLEDGE_BOUNDS.nameLength}
          />
        )}
      </Field>
      <Field
        name="description"
        label={LABELS.description}
        optional
        issue={issues.description}
        help={t("For your team. Agents do not see it.")}
      >
        {(attributes) => (
          <textarea {...attributes} maxLength={KNOWLEDGE_BOUNDS.descriptionLength}>
            {values.description}
          </textarea>
        )}
      </Field>
      <Field
        name="language"
        label={LABELS.language}
        optional
        issue={issues.language}
        help={t(
          "The language of most documents. Search uses it for texts too short to detect, like titles.",
        )}
      >
        {(attributes) => (
          <select {...attributes}>
            <option value="" selected={values.language === ""}>{t("Detect automatically")}</option>
            {languages().map(({ code, name }) => (
              <option key={code} value={code} selected={values.language === code}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{submit}</button>
        {cancelHref === undefined
          ? (
            <button class="button" type="submit" formMethod="dialog" formNoValidate>
              {t("Cancel")}
            </button>
          )
          : <a class="button" href={cancelHref} aria-current="false">{t("Cancel")}</a>}
      </div>
    </PostForm>
  );
}
