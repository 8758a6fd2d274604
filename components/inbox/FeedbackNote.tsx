import { RATING_LABELS, reasonLabel } from "@/lib/dashboard/inbox/rating_labels.ts";
import type { Feedback } from "@/lib/schemas/feedback.ts";
import type { Rating } from "@/lib/schemas/rating.ts";
import { Moment } from "../Time.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What the visitor thinks of an answer. */
export function FeedbackNote({ feedback }: { feedback: Feedback }) {
  const { rating, comment, reasons = [], ratedAt, unreadable } = feedback;
  return (
    <section class={`feedback feedback-${rating}`} aria-label={t("Feedback")}>
      <p class="feedback-line">
        <RatingMark rating={rating} />
        <Moment at={ratedAt} />
      </p>
      {reasons.length > 0 && (
        <ul class="feedback-reasons" aria-label={t("Reasons")}>
          {reasons.map((reason) => <li key={reason} class="badge">{reasonLabel(reason)}</li>)}
        </ul>
      )}
      {comment !== undefined && <p class="said-text" dir="auto">{comment}</p>}
      {unreadable && <p class="help">{t("The comment can't be decrypted.")}</p>}
    </section>
  );
}

/** A thumb with the rating in words. */
export function RatingMark({ rating }: { rating: Rating }) {
  return (
    <span class={`rating rating-${rating}`}>
      <svg class="icon" viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
        <path d={THUMB} transform={rating === "up" ? undefined : "rotate(180 10 10)"} />
      </svg>
      {t(RATING_LABELS[rating])}
    </span>
  );
}

const THUMB = "M3.5 9h3v7.5h-3z M6.5 9 10 3.5c1.2 0 1.9 1 1.6 2.2L11 8.5h4.2" +
  "a1.5 1.5 0 0 1 1.5 1.8l-1 5a1.5 1.5 0 0 1-1.5 1.2H6.5";
