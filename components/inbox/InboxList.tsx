import type { Inbox } from "@/lib/dashboard/inbox/read_inbox.ts";
import { conversationsHref, inboxRowHref } from "@/lib/dashboard/conversation_filters.ts";
import { sourceLabel } from "@/lib/dashboard/source_labels.ts";
import type { InboxRow } from "@/lib/services/conversation_inbox.ts";
import { Time } from "../Time.tsx";
import { RatingMark } from "./FeedbackNote.tsx";
import { OutcomeMark } from "./OutcomeMark.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface InboxListProps {
  inbox: Inbox;
  /** The open conversation. */
  open?:
    | { id: string; agentId: string; origin?: string | undefined; visitor?: string | undefined }
    | undefined;
}

/** Conversations, one question each. J and K open the next and the previous one. */
export function InboxList({ inbox, open }: InboxListProps) {
  const { rows, filters, nextCursor, isFirstPage, cutShort } = inbox;
  return (
    <>
      {rows.length > 0 && (
        <ol class="rows inbox-list" aria-label={t("Conversations")}>
          {rows.map((row) => (
            <Row
              key={row.run?.runId ?? row.id + row.agentId + row.origin + row.visitor}
              {...{ row, inbox, open }}
            />
          ))}
        </ol>
      )}
      {cutShort && (
        <p class="prose cut-short">
          {t("No more matches in this range. Older conversations were not searched yet.")}
        </p>
      )}
      <nav class="pager" aria-label={t("Pages")}>
        {!isFirstPage && (
          <a class="button" href={conversationsHref(filters)} aria-current="false">{t("Latest")}</a>
        )}
        {nextCursor !== undefined && (
          <a class="button" href={conversationsHref(filters, nextCursor)} aria-current="false">
            {cutShort ? t("Search older") : t("Older")}
          </a>
        )}
      </nav>
    </>
  );
}

function Row(
  { row, inbox, open }: InboxListProps & { row: InboxRow },
) {
  const { names, now, query } = inbox;
  const isOpen = open !== undefined && open.id === row.id && open.agentId === row.agentId &&
    (open.origin ?? "") === (row.origin ?? "") && open.visitor === row.visitor;
  return (
    <li class="row inbox-row">
      <div class="row-main">
        <p class="inbox-line">
          <a
            class="row-link inbox-question"
            href={inboxRowHref(row, query)}
            aria-current={isOpen ? "true" : "false"}
            dir="auto"
          >
            {row.question ?? t("This message can't be decrypted")}
          </a>
          <Time at={row.at} now={now} />
        </p>
        {row.snippet !== undefined && (
          <p class="row-text" dir="auto">
            {row.snippet.map((part, n) =>
              part.isMatch ? <mark key={n}>{part.text}</mark> : part.text
            )}
          </p>
        )}
        <p class="inbox-line inbox-facts">
          <OutcomeMark outcome={row.outcome} />
          {row.ratings?.map((rating) => <RatingMark key={rating} rating={rating} />)}
          <span class="row-text">
            {`${visitorName(row)} · ${sourceLabel(row.source)} · ${
              names.get(row.agentId) ?? t("Deleted agent")
            }`}
          </span>
        </p>
      </div>
    </li>
  );
}

/** Visitors have no names: a short form of the conversation's id tells them apart. */
export function visitorName({ id, source }: Pick<InboxRow, "id" | "source">): string {
  const short = id.slice(-6);
  if (source === "api") return t("API caller {short}", { short });
  return source === "playground" ? t("Tester {short}", { short }) : t("Visitor {short}", { short });
}
