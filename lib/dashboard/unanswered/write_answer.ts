import { ApiError } from "../../schemas/api_error.ts";
import type { Unanswered } from "../../services/unanswered/unanswered.ts";
import { pastedTextIssues, readPastedText } from "../knowledge/pasted_text.ts";
import type { PastedText, PastedTextIssues } from "../knowledge/pasted_text.ts";
import { quotaMessage } from "../quota_message.ts";
import { translateMessage } from "../texts/service_message.ts";

export interface WriteAnswerValues extends PastedText {
  knowledgeBaseId: string;
}

export type WriteAnswerIssues = PastedTextIssues & { knowledgeBaseId?: string };

export function readWrittenAnswer(form: URLSearchParams): WriteAnswerValues {
  return { ...readPastedText(form), knowledgeBaseId: form.get("knowledgeBaseId") ?? "" };
}

/** Stores the answer as a document, or returns what is wrong with it. */
export async function writeAnswer(
  unanswered: Pick<Unanswered, "answer">,
  name: { tenant: string; runId: string },
  values: WriteAnswerValues,
): Promise<{ issues: WriteAnswerIssues; status: number } | undefined> {
  const issues = pastedTextIssues(values);
  if (Object.keys(issues).length > 0) return { issues, status: 400 };
  try {
    await unanswered.answer(name, values);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const form = quotaMessage(error) ?? translateMessage(error.message);
    return { issues: { form }, status: error.status };
  }
}
