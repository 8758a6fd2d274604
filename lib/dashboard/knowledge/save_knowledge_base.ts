import { ApiError } from "../../schemas/api_error.ts";
import type { KnowledgeBase } from "../../schemas/knowledge.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { quotaMessage } from "../quota_message.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";

/** What the form of a knowledge base holds, as it was typed. */
export interface KnowledgeBaseFormValues {
  name: string;
  description: string;
  /** A code; empty where the language is detected. */
  language: string;
}

/** Values of a form for a new base. */
export const EMPTY_KNOWLEDGE_BASE_FORM: KnowledgeBaseFormValues = {
  name: "",
  description: "",
  language: "",
};

/** What is wrong with each field; `form` is about none of them. */
export type KnowledgeBaseFormIssues = Partial<
  Record<keyof KnowledgeBaseFormValues | "form", string>
>;

const { nameLength, descriptionLength } = KNOWLEDGE_BOUNDS;

export function readKnowledgeBaseForm(form: URLSearchParams): KnowledgeBaseFormValues {
  return {
    name: form.get("name")?.trim() ?? "",
    description: form.get("description")?.trim() ?? "",
    language: form.get("language") ?? "",
  };
}

/** The form as the body that creates a base. */
export function toKnowledgeBaseBody({ language, ...values }: KnowledgeBaseFormValues) {
  return language === "" ? values : { ...values, language };
}

/** The form as the body that changes one. */
export function toKnowledgeBasePatch({ language, ...values }: KnowledgeBaseFormValues) {
  return { ...values, language: language === "" ? null : language };
}

/** Runs a save of the form; refusals become faults of it, other errors stay errors. */
export async function saveKnowledgeBase(
  save: () => Promise<KnowledgeBase>,
): Promise<{ base: KnowledgeBase } | { status: number; faults: KnowledgeBaseFormIssues }> {
  try {
    return { base: await save() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status } = error;
    const full = quotaMessage(error);
    if (full !== undefined) return { status, faults: { form: full } };
    if (error.code !== "schema_validation_failed") throw error;
    const issues = (error.details?.issues ?? []) as ValidationIssue[];
    return { status, faults: Object.assign({}, ...issues.map(toFormIssue)) };
  }
}

function toFormIssue({ path }: ValidationIssue): KnowledgeBaseFormIssues {
  if (path === "name") return { name: `Enter a name of 1 to ${nameLength} characters.` };
  if (path === "description") {
    return { description: `At most ${descriptionLength} characters of plain text.` };
  }
  if (path === "language") return { language: "Choose a language from the list." };
  return { form: "This is no text that can be stored." };
}
