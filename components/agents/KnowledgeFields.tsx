import { Field } from "../Field.tsx";
import type { AgentFieldsProps } from "./AgentFields.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The knowledge base that the agent searches. */
export function KnowledgeFields({ values, issues, choices: { knowledgeBases } }: AgentFieldsProps) {
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
