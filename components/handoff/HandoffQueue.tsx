import { handoffHref } from "@/lib/dashboard/handoff/handoff_href.ts";
import { queueLabel } from "@/lib/dashboard/handoff/handoff_labels.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import type { HandoffHead } from "@/lib/store/handoffs/handoff_record.ts";
import { visitorName } from "../inbox/InboxList.tsx";
import { Time } from "../Time.tsx";

/** Conversations that wait for a person or have one, and visitors who left a message. */
export function HandoffQueue(
  { queue, names, now }: {
    queue: readonly HandoffHead[];
    names: ReadonlyMap<string, string>;
    now: number;
  },
) {
  if (queue.length === 0) return null;
  return (
    <section class="card handoff-queue" aria-labelledby="handoff-queue-title">
      <h2 id="handoff-queue-title">{t("For people")}</h2>
      <ol class="rows">
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
