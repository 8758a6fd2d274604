import { FIELD_LABELS } from "@/lib/dashboard/agents/agent_field_labels.ts";
import { NewTabLink } from "../NewTabLink.tsx";
import type { DraftChanges } from "../../lib/dashboard/browser/draft_storage.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export type RestoredDraft = DraftChanges & { diffHref: string };

/** Lists the unsaved changes that were restored, and those that someone else's changes clash with. */
export function DraftNotice({ mine, clashes, diffHref }: RestoredDraft) {
  return (
    <span class="guard-offer" role="status">
      <strong>{t("Restored your unsaved changes")}</strong>
      <span class="help">{labelsOf(mine)}</span>
      {clashes.length > 0 && (
        <>
          <strong>
            {t("Someone else also changed {clashes}. Saving replaces their changes.", {
              clashes: labelsOf(clashes),
            })}
          </strong>
          <NewTabLink href={diffHref}>{t("View their changes")}</NewTabLink>
        </>
      )}
    </span>
  );
}

function labelsOf(names: readonly string[]): string {
  // The controls of a table are named after their field.
  const fields = new Set(names.map((name) => name.split(".")[0]!));
  return [...fields].map((name) => t(FIELD_LABELS[name as keyof typeof FIELD_LABELS] ?? name))
    .join(", ");
}
