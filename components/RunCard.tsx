import type { ComponentChildren } from "preact";
import { PROTOCOL_LABELS } from "@/lib/dashboard/protocol_labels.ts";
import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import type { MessageAttachment } from "@/lib/schemas/attachment.ts";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import { readSources } from "@/widget/extras/answer/read_sources.ts";
import { addSources, type TranscriptMessage } from "@/widget/state.ts";
import CopyButton from "../islands/CopyButton.tsx";
import { AskedAgents } from "./AskedAgents.tsx";
import { EgressCalls } from "./EgressCalls.tsx";
import { DescriptionList } from "./DescriptionList.tsx";
import { FINISH_LABELS } from "../lib/dashboard/finish_labels.ts";
import { formatCount, formatMs, formatUsd, plural } from "../lib/dashboard/format_amount.ts";
import { describeHit } from "../lib/dashboard/guardrails/guardrail_labels.ts";
import { ERROR_TEXTS } from "../lib/dashboard/inbox/error_texts.ts";
import { AttachmentList } from "./inbox/AttachmentList.tsx";
import { AnswerMarkdown } from "./inbox/AnswerMarkdown.tsx";
import { FeedbackNote } from "./inbox/FeedbackNote.tsx";
import { OutcomeMark } from "./inbox/OutcomeMark.tsx";
import { ToolCallLine } from "./inbox/ToolCallLine.tsx";
import { Notice } from "./Notice.tsx";
import { Moment } from "./Time.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** One message and its answer as the visitor saw them, with the details of its run record. */
export function RunCard(
  { run, record, mark, action }: {
    run: ConversationRun;
    record: RunRecord | undefined;
    /** Beside the time. */
    mark?: ComponentChildren;
    /** Below it. */
    action?: ComponentChildren;
  },
) {
  const claimed = run.messages.filter(({ claimed }) => claimed);
  const asked = run.messages.filter(({ claimed }) => !claimed);
  return (
    <article
      class="run"
      id={`run-${run.runId}`}
      aria-label={t("Run {runId}", { runId: run.runId })}
    >
      <header class="run-head">
        <Moment at={run.startedAt} />
        {mark}
        {run.finishReason !== "stop" && <OutcomeMark outcome={run.finishReason} />}
        {run.guardrails?.some(({ action }) => action === "mask") && (
          <span class="outcome outcome-warn">{t("Masked")}</span>
        )}
      </header>
      {run.unreadable && (
        <Notice kind="warning">
          {rich(
            "This message and its answer cannot be decrypted: their key is missing from {code}, or the stored data was changed. See the service's log.",
            { code: <code>ENCRYPTION_KEY</code> },
          )}
        </Notice>
      )}
      {claimed.length > 0 && (
        <details class="more">
          <summary>
            {t("{count} sent by the client", {
              count: plural(claimed.length, "{count} earlier message", "{count} earlier messages"),
            })}
          </summary>
          <div class="said-list">
            {claimed.map(({ role, content, attachments }, n) => (
              <RunMessage key={n} role={role} text={content} attachments={attachments} />
            ))}
          </div>
        </details>
      )}
      <div class="said-list">
        {asked.map(({ role, content, attachments }, n) => (
          <RunMessage key={n} role={role} text={content} attachments={attachments} />
        ))}
        {run.reasoning !== undefined && <Reasoning text={run.reasoning} />}
        {run.toolCalls.map((call, n) => (
          <ToolCallLine key={n} call={call} ms={record?.toolMs?.[n]} />
        ))}
        {run.text !== "" && <RunMessage role="assistant" text={run.text} />}
        <Sources run={run} />
        {run.errorCode && (
          <p class="run-error">
            {t(ERROR_TEXTS[run.errorCode])} <code>{run.errorCode}</code>
          </p>
        )}
      </div>
      {run.guardrails?.map((hit, n) => <p key={n} class="help">{describeHit(hit)}</p>)}
      {run.feedback && <FeedbackNote feedback={run.feedback} />}
      <RunDetails run={run} record={record} />
      {action}
    </article>
  );
}

function RunMessage(
  { role, text, attachments }: {
    role: "user" | "assistant";
    text: string;
    attachments?: readonly MessageAttachment[] | undefined;
  },
) {
  return (
    <div class={`said said-${role}`}>
      <p class="sr-only">{role === "user" ? t("Visitor:") : t("Agent:")}</p>
      {role === "user"
        ? <p class="said-text" dir="auto">{text}</p>
        : <AnswerMarkdown text={text} />}
      {attachments !== undefined && <AttachmentList attachments={attachments} />}
    </div>
  );
}

/** What the model thought, which the visitor did not see. */
function Reasoning({ text }: { text: string }) {
  return (
    <details class="more">
      <summary>{t("Reasoning (visitors don't see it)")}</summary>
      <p class="said-text help" dir="auto">{text}</p>
    </details>
  );
}

/** The documents that the visitor saw below the answer. */
function Sources({ run }: { run: ConversationRun }) {
  const message: TranscriptMessage = { id: 0, role: "assistant", text: "" };
  for (const { name, output } of run.toolCalls) addSources(message, { name, output });
  const sources = readSources({ ...message, text: run.text });
  if (sources.length === 0) return null;
  return (
    <div class="run-sources">
      <p class="help">{t("Sources")}</p>
      <ul>{sources.map(({ title }) => <li key={title} dir="auto">{title}</li>)}</ul>
    </div>
  );
}

function RunDetails({ run, record }: { run: ConversationRun; record: RunRecord | undefined }) {
  const { firstTextMs, steps, droppedMessages, askedToFinish, excess = 0 } = record ?? {};
  const duration = formatMs(Date.parse(run.endedAt) - Date.parse(run.startedAt));
  const tokens = formatCount(run.inputTokens + run.outputTokens);
  return (
    <details class="more run-details">
      <summary>
        {t("{model} · {duration} · {tokens} tokens · {costUsd}", {
          model: run.model,
          duration,
          tokens,
          costUsd: formatUsd(run.costUsd),
        })}
      </summary>
      <DescriptionList
        class="figures run-facts"
        of={{
          [t("Model")]: run.model,
          [t("Agent version")]: run.agentVersion,
          [t("Protocol")]: run.protocol && t(PROTOCOL_LABELS[run.protocol]),
          [t("Time to first text")]: firstTextMs === undefined ? undefined : formatMs(firstTextMs),
          [t("Duration")]: duration,
          [t("Steps")]: steps === undefined ? undefined : formatCount(steps),
          [t("Input tokens")]: formatCount(run.inputTokens),
          [t("Read from cache")]: run.cachedInputTokens && formatCount(run.cachedInputTokens),
          [t("Written to cache")]: run.cacheWriteTokens && formatCount(run.cacheWriteTokens),
          [t("Output tokens")]: formatCount(run.outputTokens),
          [t("Reasoning tokens")]: run.reasoningTokens && formatCount(run.reasoningTokens),
          [t("Cost")]: formatUsd(run.costUsd),
          [t("Not charged")]: excess > 0 && formatUsd(excess / 1_000_000),
          [t("Asked to finish")]: askedToFinish && t(FINISH_LABELS[askedToFinish]),
          [t("Messages dropped")]: droppedMessages === undefined
            ? undefined
            : formatCount(droppedMessages),
        }}
      />
      <EgressCalls calls={record?.egress ?? []} />
      <AskedAgents asked={record?.asked ?? []} />
      {record?.notes?.map((note) => <p key={note} class="help">{note}</p>)}
      <CopyButton text={run.runId} what={t("run ID")} label={t("Copy run ID")} />
    </details>
  );
}
