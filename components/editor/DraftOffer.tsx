import { useEffect, useRef } from "preact/hooks";
import { FIELD_LABELS } from "@/lib/dashboard/agents/agent_field_labels.ts";
import { NewTabLink } from "../NewTabLink.tsx";
import type { DraftChanges } from "../../lib/dashboard/browser/draft_storage.ts";

export type RestoredDraft = DraftChanges & { diffHref: string };

export interface DraftOfferProps {
  /** Undefined if there is nothing to restore. */
  restore: (() => void) | undefined;
  discard: () => void;
  /** The restored changes, with a link to what others have changed. */
  restored: RestoredDraft | undefined;
}

/** Offers to restore an unsaved draft, then lists what was restored. */
export function DraftOffer({ restore, discard, restored }: DraftOfferProps) {
  if (restored !== undefined) return <Restored {...restored} />;
  if (restore === undefined) return null;
  return (
    <span class="guard-offer">
      <span class="help">You have unsaved changes from your last visit.</span>
      <button type="button" class="button button-small" onClick={restore}>Restore</button>
      <button type="button" class="button button-small" onClick={discard}>Discard</button>
    </span>
  );
}

function Restored({ mine, clashes, diffHref }: RestoredDraft) {
  const message = useRef<HTMLSpanElement>(null);
  // The focused button was removed.
  useEffect(() => message.current?.focus(), []);
  return (
    <span class="guard-offer" tabIndex={-1} ref={message}>
      <span class="help">Restored: {labelsOf(mine)}.</span>
      {clashes.length > 0 && (
        <>
          <strong>
            Someone else also changed {labelsOf(clashes)}. Saving replaces their changes.
          </strong>
          <NewTabLink href={diffHref}>View their changes</NewTabLink>
        </>
      )}
    </span>
  );
}

function labelsOf(names: readonly string[]): string {
  return names.map((name) => FIELD_LABELS[name as keyof typeof FIELD_LABELS] ?? name).join(", ");
}
