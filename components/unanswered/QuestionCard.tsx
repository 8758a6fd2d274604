import { Time } from "@/components/Time.tsx";
import { FINISH_LABELS } from "@/lib/dashboard/finish_labels.ts";
import { formatUsd } from "@/lib/dashboard/format_amount.ts";
import { COVERAGE_LABELS, REASON_LABELS } from "@/lib/dashboard/unanswered/unanswered_labels.ts";
import type { UnansweredQuestion } from "@/lib/schemas/unanswered.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** One question, with both answers if it was asked again. */
export function QuestionCard({ question, now }: { question: UnansweredQuestion; now: number }) {
  const { runId, reasons, at, again } = question;
  const heading = `question-${runId}`;
  return (
    <article class="card replay" aria-labelledby={heading}>
      <h3 class="replay-question" id={heading} dir="auto">
        {question.question || t("This message can't be decrypted")}
      </h3>
      <p class="replay-facts">
        <Time at={at} now={now} /> · {reasons.map((reason) => t(REASON_LABELS[reason])).join(", ")}
      </p>
      {again && <BothAnswers again={again} />}
      <p class="replay-more">
        <a href={`/conversations?id=${runId}`} aria-current="false">{t("Open conversation")}</a>
      </p>
    </article>
  );
}

function BothAnswers({ again }: { again: NonNullable<UnansweredQuestion["again"]> }) {
  const { before, after, sources, coverage, foundDocument, finishReason, costUsd } = again;
  const facts = [
    ...coverage === undefined ? [t("Nothing was searched")] : [t(COVERAGE_LABELS[coverage])],
    foundDocument ? t("Your answer was found") : t("Your answer was not found"),
    ...finishReason === "stop" ? [] : [t(FINISH_LABELS[finishReason])],
    formatUsd(costUsd),
  ];
  return (
    <div class="replay-answers">
      <section class="replay-answer">
        <h4>{t("Before")}</h4>
        <AnswerText text={before} />
      </section>
      <section class="replay-answer">
        <h4>{t("Asked again")}</h4>
        <AnswerText text={after} />
        <p class="replay-facts">{facts.join(" · ")}</p>
        {sources.length > 0 && (
          <p class="replay-facts">
            {t("Sources")}: <bdi>{sources.join(", ")}</bdi>
          </p>
        )}
      </section>
    </div>
  );
}

function AnswerText({ text }: { text: string }) {
  return (
    <p class="replay-text" dir="auto">
      {text === "" ? <span class="muted">{t("No text")}</span> : text}
    </p>
  );
}
