import type { AuditEntry } from "@/lib/store/audit/audit_entry.ts";
import { auditPhrase } from "@/lib/dashboard/audit_phrases.ts";
import { Time } from "./Time.tsx";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** What a link in the list filters by. */
export type AuditLinkFilter = { actor: string } | { target: string } | { address: string };

interface AuditListProps {
  entries: readonly AuditEntry[];
  now: number;
  /** An actor's display name. */
  nameOf: (actor: AuditEntry["actor"]) => string;
  /** The address of the page with one more filter. */
  hrefOf: (filter: AuditLinkFilter) => string;
}

/** Entries of the audit log with their changes; people, targets and addresses lead to their entries. */
export function AuditList({ entries, now, nameOf, hrefOf }: AuditListProps) {
  return (
    <ul class="rows">
      {entries.map((entry) => (
        <li key={entry.id} class="row audit">
          <div class="row-main">
            <p class="audit-line">
              <strong>
                <a href={hrefOf({ actor: actorOf(entry) })}>{nameOf(entry.actor)}</a>
              </strong>
              <span>{auditPhrase(entry)}</span>
              {entry.target.name !== "" && (
                <a class="audit-target" href={hrefOf({ target: entry.target.id })}>
                  {entry.target.name}
                </a>
              )}
              {isEvent(entry) && <EventFacts entry={entry} hrefOf={hrefOf} />}
            </p>
            {!isEvent(entry) && entry.changes.length > 0 && <Changes entry={entry} />}
          </div>
          <p class="row-when">
            <Time at={new Date(entry.at).toISOString()} now={now} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function actorOf({ actor }: AuditEntry): string {
  return "id" in actor ? actor.id : actor.kind;
}

/** True for entries that record an event instead of a change. */
function isEvent({ kind }: AuditEntry): boolean {
  return kind === "sign-in" || kind === "access";
}

/** Address, count and reason, in one line. */
function EventFacts(
  { entry: { changes }, hrefOf }: { entry: AuditEntry } & Pick<AuditListProps, "hrefOf">,
) {
  const fact = (name: string) => changes.find(({ field }) => field === name)?.after;
  const [address, times, detail] = ["address", "times", "detail"].map(fact);
  return (
    <>
      {address !== undefined && (
        <span>
          {rich("from {address}", { address: <a href={hrefOf({ address })}>{address}</a> })}
        </span>
      )}
      {times !== undefined && times !== "1" && <span>{t("{times} times", { times })}</span>}
      {detail !== undefined && <span>({detail})</span>}
    </>
  );
}

function Changes({ entry: { changes, id } }: { entry: AuditEntry }) {
  const count = plural(changes.length, "{count} field", "{count} fields");
  return (
    <details class="more">
      <summary>{count}</summary>
      <div
        class="diff-scroll"
        tabIndex={0}
        role="region"
        aria-label={t("Changes, entry {id}", { id })}
      >
        <table class="diff">
          <thead>
            <tr>
              <th scope="col">{t("Field")}</th>
              <th scope="col">{t("Before")}</th>
              <th scope="col">{t("After")}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{before ?? <Nothing />}</td>
                <td>{after ?? <Nothing />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Nothing() {
  return <span class="nothing">{t("not set")}</span>;
}
