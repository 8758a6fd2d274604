import { PostForm } from "@/components/PostForm.tsx";
import type { AnswerStatus } from "@/lib/dashboard/unanswered/answer_status.ts";
import type { Document } from "@/lib/schemas/knowledge.ts";
import type { UnansweredReport } from "@/lib/schemas/unanswered.ts";
import { UNANSWERED_BOUNDS } from "@/lib/schemas/unanswered.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const STATUS_TEXTS: Record<AnswerStatus, string> = {
  dismissed: msg("Dismissed until it is asked again."),
  missing: msg("No answer was written yet."),
  processing: msg("The answer is being processed."),
  failed: msg("The answer could not be processed."),
  asking: msg("Asking again…"),
  helpful: msg("The answer helped: the agent finds it."),
  outdated: msg("Visitors have asked this since, and the answer did not help. Write another one."),
  untried: msg("Ask up to {count} of the questions again to see whether the answer helps."),
  unhelpful: msg(
    "The answer did not help with most questions. Write another one in the words of the questions.",
  ),
};

/** The document that was written as an answer, and what can be done with the group. */
export function GroupActions({ report, document, status, editor, action }: {
  report: Pick<UnansweredReport, "knowledgeBaseId">;
  /** Absent if none was written, or if it was deleted. */
  document: Document | undefined;
  status: AnswerStatus;
  editor: boolean;
  action: string;
}) {
  const canAsk = document?.state === "ready" && status !== "asking";
  const canDismiss = status !== "dismissed";
  return (
    <section class="card stack" aria-label={t("Answer")}>
      {document !== undefined && (
        <p>
          <a
            href={`/knowledge/${report.knowledgeBaseId}/documents/${document.id}`}
            aria-current="false"
            dir="auto"
          >
            {document.title}
          </a>
        </p>
      )}
      <p class="help" role="status">
        {t(STATUS_TEXTS[status], { count: UNANSWERED_BOUNDS.askedAgain })}
      </p>
      {editor && (canAsk || canDismiss) && (
        <PostForm action={action} class="form-actions">
          {canAsk && (
            <button class="button button-primary" type="submit" name="action" value="ask">
              {t("Ask again")}
            </button>
          )}
          {canDismiss && (
            <button class="button" type="submit" name="action" value="dismiss">
              {t("Dismiss")}
            </button>
          )}
        </PostForm>
      )}
    </section>
  );
}
