import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import { EgressCalls } from "./EgressCalls.tsx";
import { DescriptionList } from "./DescriptionList.tsx";
import { FINISH_LABELS, finishBadgeClass } from "../lib/dashboard/finish_labels.ts";
import { formatCount, formatMs, formatUsd, plural } from "../lib/dashboard/format_amount.ts";
import { Notice } from "./Notice.tsx";
import { Moment } from "./Time.tsx";

/** One message and its answer, with the details of its run record. */
export function RunCard({ run, record }: { run: ConversationRun; record: RunRecord | undefined }) {
  const claimed = run.messages.filter(({ claimed }) => claimed);
  const asked = run.messages.filter(({ claimed }) => !claimed);
  return (
    <article class="card run" id={`run-${run.runId}`} aria-label={`Run ${run.runId}`}>
      <header class="run-head">
        <Moment at={run.startedAt} />
        <span class={finishBadgeClass(run.finishReason)}>{FINISH_LABELS[run.finishReason]}</span>
        {run.errorCode && <code>{run.errorCode}</code>}
      </header>
      {run.unreadable && (
        <Notice kind="warning">
          This message and its answer cannot be decrypted: their key is missing from{" "}
          <code>ENCRYPTION_KEY</code>, or the stored data was changed. See the service's log.
        </Notice>
      )}
      {claimed.length > 0 && (
        <details class="more">
          <summary>
            {plural(claimed.length, "{count} earlier message", "{count} earlier messages")}{" "}
            sent by the client
          </summary>
          <div class="said-list">
            {claimed.map(({ role, content }, n) => (
              <RunMessage key={n} role={role} text={content} />
            ))}
          </div>
        </details>
      )}
      <div class="said-list">
        {asked.map(({ role, content }, n) => <RunMessage key={n} role={role} text={content} />)}
        {run.toolCalls.map((call, n) => <ToolCall key={n} call={call} />)}
        {run.text !== "" && <RunMessage role="assistant" text={run.text} />}
      </div>
      <RunFacts run={run} record={record} />
      <EgressCalls calls={record?.egress ?? []} />
      {record?.notes?.map((note) => <p key={note} class="help">{note}</p>)}
    </article>
  );
}

function RunMessage({ role, text }: { role: "user" | "assistant"; text: string }) {
  return (
    <div class={`said said-${role}`}>
      <p class="said-who">{role === "user" ? "Visitor" : "Agent"}</p>
      <p class="said-text" dir="auto">{text}</p>
    </div>
  );
}

function ToolCall(
  { call: { name, args, output } }: { call: ConversationRun["toolCalls"][number] },
) {
  const failed = typeof output === "object" && output !== null && "error" in output;
  return (
    <details class="more tool-call">
      <summary>
        Tool <code>{name}</code>
        {output === undefined ? " did not return" : failed ? " failed" : " succeeded"}
      </summary>
      <JsonBlock label={`Arguments of ${name}`} value={args} />
      {output !== undefined && <JsonBlock label={`Output of ${name}`} value={output} />}
    </details>
  );
}

function JsonBlock({ label, value }: { label: string; value: unknown }) {
  return <pre class="json" role="region" aria-label={label} tabIndex={0}>{formatJson(value)}</pre>;
}

function formatJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function RunFacts({ run, record }: { run: ConversationRun; record: RunRecord | undefined }) {
  const { firstTextMs, steps, droppedMessages, excess = 0 } = record ?? {};
  return (
    <DescriptionList
      class="figures run-facts"
      of={{
        "Model": `${run.provider} ${run.model}`,
        "Agent version": run.agentVersion,
        "Time to first text": firstTextMs === undefined ? undefined : formatMs(firstTextMs),
        "Duration": formatMs(Date.parse(run.endedAt) - Date.parse(run.startedAt)),
        "Steps": steps === undefined ? undefined : formatCount(steps),
        "Input tokens": formatCount(run.inputTokens),
        "Output tokens": formatCount(run.outputTokens),
        "Cost": formatUsd(run.costUsd),
        "Not charged": excess > 0 && formatUsd(excess / 1_000_000),
        "Messages dropped": droppedMessages === undefined
          ? undefined
          : formatCount(droppedMessages),
      }}
    />
  );
}
