import { ApiError } from "../../schemas/api_error.ts";
import type { KnowledgeBase } from "../../schemas/knowledge.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { quotaMessage } from "../quota_message.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { t } from "../texts/translate.ts";

export interface KnowledgeBaseFormValues {
  name: string;
  description: string;
  /** A language code; empty to detect the language. */
  language: string;
}

export const EMPTY_KNOWLEDGE_BASE_FORM = readKnowledgeBaseForm(new URLSearchParams());

/** Messages by field; `form` is for issues outside any field. */
export type KnowledgeBaseFormIssues = {
  [Field in keyof KnowledgeBaseFormValues | "form"]?: string;
};

const { nameLength, descriptionLength } = KNOWLEDGE_BOUNDS;

export function readKnowledgeBaseForm(form: URLSearchParams): KnowledgeBaseFormValues {
  return {
    name: form.get("name")?.trim() ?? "",
    description: form.get("description")?.trim() ?? "",
    language: form.get("language") ?? "",
  };
}

export function toKnowledgeBaseBody({ language, ...values }: KnowledgeBaseFormValues) {
  return language === "" ? values : { ...values, language };
}

export function toKnowledgeBasePatch({ language, ...values }: KnowledgeBaseFormValues) {
  return { ...values, language: language === "" ? null : language };
}

/** Saves a base; expected errors become messages of the form, others are thrown. */
export async function saveKnowledgeBase(
  save: () => Promise<KnowledgeBase>,
): Promise<{ base: KnowledgeBase } | { status: number; issues: KnowledgeBaseFormIssues }> {
  try {
    return { base: await save() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status } = error;
    const quota = quotaMessage(error);
    if (quota !== undefined) return { status, issues: { form: quota } };
    if (error.code !== "schema_validation_failed") throw error;
    const issues = (error.details?.issues ?? []) as ValidationIssue[];
    return { status, issues: Object.assign({}, ...issues.map(toFormIssue)) };
  }
}

function toFormIssue({ path }: ValidationIssue): KnowledgeBaseFormIssues {
  if (path === "name") {
    return { name: t("Enter a name of 1 to {nameLength} characters.", { nameLength }) };
  }
  if (path === "description") {
    return {
      description: t("At most {descriptionLength} characters of plain text.", {
        descriptionLength,
      }),
    };
  }
  if (path === "language") return { language: t("Choose a language from the list.") };
  return { form: t("This text cannot be stored.") };
}
