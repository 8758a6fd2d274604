import LiveAnswer from "@/islands/LiveAnswer.tsx";
import type { LiveRun } from "@/lib/chat/live_runs.ts";
import { Time } from "../Time.tsx";
import { OutcomeMark } from "./OutcomeMark.tsx";
import { ReplacementMark } from "./StoredRun.tsx";
import { replacementOf } from "@/lib/dashboard/inbox/replacements.ts";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A message that is being answered: the answer appears as it is written, and can be stopped. */
export function LiveRunCard(
  { run: { facts, question }, runs, now, canStop }: {
    run: LiveRun;
    /** The stored runs on the page. */
    runs: readonly ConversationRun[];
    now: number;
    canStop: boolean;
  },
) {
  const { runId, startedAt, replaces } = facts;
  const asked = { replaces: replaces?.runId, text: question, attachments: undefined };
  return (
    <article class="run" id={`run-${runId}`} aria-label={t("Run {runId}", { runId })}>
      <header class="run-head">
        <Time at={new Date(startedAt).toISOString()} now={now} />
        <ReplacementMark replacement={replacementOf(asked, runs)} />
        <OutcomeMark outcome="live" />
      </header>
      <div class="said-list">
        <div class="said said-user">
          <p class="sr-only">{t("Visitor:")}</p>
          <p class="said-text" dir="auto">{question}</p>
        </div>
        <LiveAnswer runId={runId} canDecide={canStop} />
      </div>
      {canStop && (
        <form method="post" action={`/conversations/runs/${runId}/stop`}>
          <button class="button" type="submit">{t("Stop answer")}</button>
        </form>
      )}
    </article>
  );
}
