import { FINISH_LABELS } from "@/lib/dashboard/finish_labels.ts";
import { formatMs, formatUsd } from "@/lib/dashboard/format_amount.ts";
import { checkLabel, OUTCOME_LABELS } from "@/lib/dashboard/test_sets/test_set_labels.ts";
import type { TestCheck, TestResult } from "@/lib/schemas/test_run.ts";
import { translateMessage } from "@/lib/dashboard/texts/service_message.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A question, what the agent answered, and which expectations that meets. */
export function TestResultCard({ result, path }: { result: TestResult; path: string }) {
  const { caseId, name, question, answer, outcome, checks, sources, calls } = result;
  const heading = `case-${caseId}`;
  const facts = [
    ...result.finishReason === "stop" ? [] : [t(FINISH_LABELS[result.finishReason])],
    formatUsd(result.costUsd),
    formatMs(result.latencyMs),
  ];
  return (
    <article class="card replay" aria-labelledby={heading}>
      <h3 class="replay-question" id={heading} dir="auto">
        {result.unreadable ? t("This message can't be decrypted") : name ?? question}
      </h3>
      <p>
        <span class={`outcome outcome-${outcome === "passed" ? "good" : "bad"}`}>
          {t(OUTCOME_LABELS[outcome])}
        </span>
        {result.errorCode !== undefined && <code>{result.errorCode}</code>}
      </p>
      {name !== undefined && <p class="row-text" dir="auto">{question}</p>}
      <p class="replay-text" dir="auto">
        {answer === "" ? <span class="muted">{t("No text")}</span> : answer}
      </p>
      {checks.length > 0 && (
        <ul class="checks">
          {checks.map((check, n) => <Check key={n} check={check} />)}
        </ul>
      )}
      <p class="replay-facts">{facts.join(" · ")}</p>
      {sources.length > 0 && (
        <p class="replay-facts">
          {t("Sources")}: <bdi>{sources.map(({ title }) => title).join(", ")}</bdi>
        </p>
      )}
      {calls.length > 0 && (
        <p class="replay-facts">
          {t("Calls")}: <code>{calls.map((call) => call.name).join(", ")}</code>
          {calls.some(({ notExecuted }) => notExecuted) &&
            ` · ${t("Calls without a result in the case were not executed.")}`}
        </p>
      )}
      <p class="replay-more">
        <a href={`${path}/cases/${caseId}`} aria-current="false">{t("Open the case")}</a>
      </p>
    </article>
  );
}

function Check({ check: { type, expected, passed, score, reason } }: { check: TestCheck }) {
  return (
    <li class="checks-row">
      <span class={`outcome outcome-${passed ? "good" : "bad"}`}>
        {passed ? t("Met") : t("Not met")}
      </span>
      <span dir="auto">
        {checkLabel(type)}: <bdi>{expected}</bdi>
        {score !== undefined && ` · ${t("Score {score} of 10", { score })}`}
        {reason !== undefined && (
          <span class="row-text" dir="auto">
            {" · "}
            {type === "judged" ? reason : translateMessage(reason)}
          </span>
        )}
      </span>
    </li>
  );
}
