import { handoffHref } from "@/lib/dashboard/handoff/handoff_href.ts";
import { queueLabel } from "@/lib/dashboard/handoff/handoff_labels.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import type { HandoffHead } from "@/lib/store/handoffs/handoff_record.ts";
import { inboxRowHref } from "@/lib/dashboard/conversation_filters.ts";
import type { InboxRow } from "@/lib/services/conversation_inbox.ts";
import { visitorName } from "../inbox/InboxList.tsx";
import { Time } from "../Time.tsx";

/** Conversations that wait for a person or have one, and visitors who left a message. */
export function HandoffQueue(
  { queue, approvals, names, now }: {
    queue: readonly HandoffHead[];
    approvals: readonly InboxRow[];
    names: ReadonlyMap<string, string>;
    now: number;
  },
) {
  if (queue.length + approvals.length === 0) return null;
  return (
    <section class="card handoff-queue" aria-labelledby="handoff-queue-title">
      <h2 id="handoff-queue-title">{t("For people")}</h2>
      <ol class="rows">
        {approvals.map((row) => (
          <QueueRow
            key={row.id + row.agentId}
            href={inboxRowHref(row, "")}
            {...{ row, now }}
            label={t("Waits for approval")}
            agent={names.get(row.agentId)}
          />
        ))}
        {queue.map((head) => (
          <li key={head.feed} class="row inbox-row">
            <div class="row-main">
              <p class="inbox-line">
                <a
                  class="row-link"
                  href={`${handoffHref(head)}#handoff`}
                  aria-current="false"
                >
                  {visitorName({ id: head.id, source: undefined })}
                </a>
                <Time at={new Date(head.requestedAt).toISOString()} now={now} />
              </p>
              <p class="inbox-line inbox-facts">
                <span class={`outcome outcome-${head.state === "waiting" ? "live" : "good"}`}>
                  {queueLabel(head)}
                </span>
                <span class="row-text">{names.get(head.agentId) ?? t("Deleted agent")}</span>
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function QueueRow(
  { href, row, label, agent, now }: {
    href: string;
    row: InboxRow;
    label: string;
    agent: string | undefined;
    now: number;
  },
) {
  return (
    <li class="row inbox-row">
      <div class="row-main">
        <p class="inbox-line">
          <a class="row-link" href={href} aria-current="false">{visitorName(row)}</a>
          <Time at={row.at} now={now} />
        </p>
        <p class="inbox-line inbox-facts">
          <span class="outcome outcome-live">{label}</span>
          <span class="row-text">{agent ?? t("Deleted agent")}</span>
        </p>
      </div>
    </li>
  );
}
