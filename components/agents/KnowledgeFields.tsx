import { Field } from "../Field.tsx";
import { ModelSelect } from "../ModelSelect.tsx";
import type { AgentFieldsProps } from "./AgentFields.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The knowledge base that the agent searches. */
export function KnowledgeFields(
  { values, issues, choices: { knowledgeBases, models } }: AgentFieldsProps,
) {
  const value = values.knowledgeBaseId;
  const chosen = knowledgeBases.find(({ id }) => id === value);
  return (
    <section class="card stack">
      <h2>{t("Knowledge")}</h2>
      <Field
        name="knowledgeBaseId"
        label={t("Knowledge base")}
        optional
        issue={issues.knowledgeBaseId}
        help={t("The agent searches it and answers from what it finds.")}
      >
        {(attributes) => (
          <select {...attributes}>
            <option value="">{t("No knowledge base")}</option>
            {value !== "" && chosen === undefined && (
              <option value={value} selected>{t("{value} (deleted)", { value })}</option>
            )}
            {knowledgeBases.map(({ id, name }) => (
              <option key={id} value={id} selected={id === value}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        name="rerank"
        label={t("Order by a model")}
        optional
        issue={issues.rerank}
        help={t(
          "Orders the passages that a search finds by how well they answer the question. It is asked once in each search and adds its cost and time.",
        )}
      >
        {(attributes) => (
          <ModelSelect
            attributes={attributes}
            groups={models}
            value={values.rerank}
            blank={t("None: the order of the search")}
          />
        )}
      </Field>
      <p class="form-actions">
        {chosen !== undefined && (
          <a class="button" href={`/knowledge/${chosen.id}`} aria-current="false">
            {t("Open {name}", { name: chosen.name })}
          </a>
        )}
        {knowledgeBases.length === 0
          ? (
            <a class="button" href="/knowledge/new" aria-current="false">
              {t("Create a knowledge base")}
            </a>
          )
          : <a class="button" href="/knowledge" aria-current="false">{t("View knowledge bases")}
          </a>}
      </p>
    </section>
  );
}
