import { PostForm } from "@/components/PostForm.tsx";
import type { Document } from "@/lib/schemas/knowledge.ts";
import type { UnansweredReport } from "@/lib/schemas/unanswered.ts";
import { UNANSWERED_BOUNDS } from "@/lib/schemas/unanswered.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The document that was written as an answer, and what can be done with the group. */
export function GroupActions({ report, document, editor, action }: {
  report: UnansweredReport;
  /** Absent if none was written, or if it was deleted. */
  document: Document | undefined;
  editor: boolean;
  action: string;
}) {
  const { asking, state, knowledgeBaseId } = report;
  return (
    <section class="card stack" aria-label={t("Answer")}>
      {document !== undefined && (
        <p>
          <a
            href={`/knowledge/${knowledgeBaseId}/documents/${document.id}`}
            aria-current="false"
            dir="auto"
          >
            {document.title}
          </a>
        </p>
      )}
      <p class="help" role="status">{statusOf({ report, document })}</p>
      {editor && (
        <PostForm action={action} class="form-actions">
          {document?.state === "ready" && !asking && (
            <button class="button button-primary" type="submit" name="action" value="ask">
              {t("Ask again")}
            </button>
          )}
          {state !== "dismissed" && (
            <button class="button" type="submit" name="action" value="dismiss">
              {t("Dismiss")}
            </button>
          )}
        </PostForm>
      )}
    </section>
  );
}

function statusOf(
  { report: { asking, state, questions }, document }: {
    report: UnansweredReport;
    document: Document | undefined;
  },
): string {
  if (state === "dismissed") return t("Dismissed until it is asked again.");
  if (document === undefined) return t("No answer was written yet.");
  if (document.state === "processing") return t("The answer is being processed.");
  if (document.state === "failed") return t("The answer could not be processed.");
  if (asking) return t("Asking again…");
  if (state === "answered") return t("The answer helped: the agent finds it.");
  const isAsked = questions.some(({ again }) => again !== undefined);
  return isAsked
    ? t("The agent does not find the answer for most questions. Use their words in it.")
    : t("Ask up to {count} of the questions again to see whether the answer helps.", {
      count: UNANSWERED_BOUNDS.askedAgain,
    });
}
