import type { Fact } from "@/lib/schemas/memory.ts";
import { Time } from "../Time.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What the agent remembers about the conversation's visitor. */
export function VisitorFacts({ facts, deleteHref, now }: {
  facts: readonly Fact[];
  /** Absent for viewers. */
  deleteHref: string | undefined;
  now: number;
}) {
  if (facts.length === 0) return null;
  return (
    <details class="more">
      <summary>{t("Remembered about this visitor: {count}", { count: facts.length })}</summary>
      <ul>
        {facts.map(({ id, text, updatedAt }) => (
          <li key={id}>
            <span dir="auto">{text}</span>{" "}
            <span class="help">
              <Time at={updatedAt} now={now} />
            </span>
          </li>
        ))}
      </ul>
      {deleteHref !== undefined && (
        <p class="side-actions">
          <a href={deleteHref} aria-current="false">{t("Delete what is remembered")}</a>
        </p>
      )}
    </details>
  );
}
