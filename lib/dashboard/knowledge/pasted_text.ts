import { documentBodySchema } from "../../schemas/knowledge.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { t } from "../texts/translate.ts";

export interface PastedText {
  title: string;
  content: string;
}

/** Messages by field; `form` is for issues outside any field. */
export type PastedTextIssues = { [Field in keyof PastedText | "form"]?: string };

const { titleLength } = KNOWLEDGE_BOUNDS;

export function readPastedText(form: URLSearchParams): PastedText {
  return {
    title: form.get("title")?.trim() ?? "",
    content: form.get("content")?.trim() ?? "",
  };
}

export function pastedTextIssues(values: PastedText): PastedTextIssues {
  const paths = documentBodySchema.safeParse(values).error?.issues.map(({ path }) => path[0]) ?? [];
  return {
    ...paths.includes("title") && {
      title: t("Enter a title of 1 to {titleLength} characters.", { titleLength }),
    },
    ...paths.includes("content") && { content: t("Enter the document's text.") },
  };
}
