import { Field } from "@/components/Field.tsx";
import { TitleField } from "@/components/knowledge/TitleField.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type {
  WriteAnswerIssues,
  WriteAnswerValues,
} from "@/lib/dashboard/unanswered/write_answer.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = {
  title: msg("Title"),
  content: msg("Answer"),
  knowledgeBaseId: msg("Knowledge base"),
};

/** Makes a document from an answer that a person writes. */
export function WriteAnswerForm({ action, values, issues, bases, agentHasBase }: {
  action: string;
  values: WriteAnswerValues;
  issues: WriteAnswerIssues;
  bases: readonly { id: string; name: string }[];
  agentHasBase: boolean;
}) {
  if (bases.length === 0) {
    return (
      <section class="card stack">
        <p>{t("Create a knowledge base first: the answer becomes a document of it.")}</p>
        <p class="form-actions">
          <a class="button" href="/knowledge/new" aria-current="false">
            {t("Create knowledge base")}
          </a>
        </p>
      </section>
    );
  }
  return (
    <PostForm {...{ action, issues }} labels={LABELS} class="card stack">
      <h2>{t("Write the answer")}</h2>
      <TitleField label={LABELS.title} value={values.title} issue={issues.title} />
      <Field
        name="content"
        label={LABELS.content}
        issue={issues.content}
        help={t("Use the words of the questions: the search finds the answer by them.")}
      >
        {(attributes) => <textarea {...attributes} rows={8} required>{values.content}</textarea>}
      </Field>
      <Field
        name="knowledgeBaseId"
        label={LABELS.knowledgeBaseId}
        issue={issues.knowledgeBaseId}
        help={!agentHasBase &&
          t("The agent has no knowledge base. It finds the answer once it uses this one.")}
      >
        {(attributes) => (
          <select {...attributes}>
            {bases.map(({ id, name }) => (
              <option key={id} value={id} selected={id === values.knowledgeBaseId}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit" name="action" value="answer">
          {t("Add to knowledge")}
        </button>
      </div>
    </PostForm>
  );
}
