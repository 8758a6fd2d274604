import { formatJson } from "@/lib/dashboard/format_json.ts";
import { errorText } from "@/lib/dashboard/inbox/error_texts.ts";
import { FINISH_LABELS } from "@/lib/dashboard/finish_labels.ts";
import { formatMs, formatUsd } from "@/lib/dashboard/format_amount.ts";
import { markChanges, type MarkedPart } from "@/lib/dashboard/rehearsals/mark_changes.ts";
import type { RehearsedAnswer, RehearsedRun } from "@/lib/schemas/rehearsal.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** One question with both answers side by side. */
export function ReplayedAnswer({ result }: { result: RehearsedRun }) {
  const { question, before, after, unreadable } = result;
  const marked = markChanges(before.text, after.text);
  const heading = `question-${result.runId}`;
  return (
    <article class="card replay" aria-labelledby={heading}>
      <h3 class="replay-question" id={heading} dir="auto">
        {unreadable ? t("These messages cannot be decrypted.") : question}
      </h3>
      <div class="replay-answers">
        <Answer
          title={t("Version {version}, as recorded", { version: result.agentVersion })}
          answer={before}
          parts={marked.before}
          mark="del"
        />
        <Answer title={t("Rehearsed")} answer={after} parts={marked.after} mark="ins" />
      </div>
      <Sources before={before.sources} after={after.sources} />
      <p class="replay-more">
        <a href={`/conversations?id=${result.runId}`} aria-current="false">
          {t("Open conversation")}
        </a>
      </p>
    </article>
  );
}

function Answer({ title, answer, parts, mark: Mark }: {
  title: string;
  answer: RehearsedAnswer;
  parts: readonly MarkedPart[];
  mark: "ins" | "del";
}) {
  const { costUsd, latencyMs, finishReason, errorCode, calls } = answer;
  const isOrdinary = finishReason === "stop";
  return (
    <section class="replay-answer">
      <h4>{title}</h4>
      <p class="replay-text" dir="auto">
        {parts.length === 0 && <span class="muted">{t("No text")}</span>}
        {parts.map(({ text, changed }, n) => changed ? <Mark key={n}>{text}</Mark> : text)}
      </p>
      {calls.map((call, n) => (
        <details key={n} class="replay-call">
          <summary>
            {call.name}
            {call.differs && <span class="badge badge-expired">{t("Not in the recording")}</span>}
          </summary>
          <pre tabIndex={0} aria-label={call.name}><code>{formatJson(call)}</code></pre>
        </details>
      ))}
      <p class="replay-facts">
        {formatUsd(costUsd)} · {formatMs(latencyMs)}
        {!isOrdinary && ` · ${t(FINISH_LABELS[finishReason])}`}
      </p>
      {errorCode !== undefined && (
        <p class="run-error">
          {t(errorText(errorCode))} <code>{errorCode}</code>
        </p>
      )}
    </section>
  );
}

/** The documents that only one of the answers draws on. */
function Sources({ before, after }: { before: readonly string[]; after: readonly string[] }) {
  const lost = before.filter((title) => !after.includes(title));
  const added = after.filter((title) => !before.includes(title));
  if (lost.length + added.length === 0) return null;
  return (
    <ul class="replay-sources" aria-label={t("Changed sources")}>
      {lost.map((title) => <li key={title}>{t("No longer from {title}", { title })}</li>)}
      {added.map((title) => <li key={title}>{t("Now from {title}", { title })}</li>)}
    </ul>
  );
}
