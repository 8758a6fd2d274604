import { useEffect, useRef } from "preact/hooks";
import { FIELD_LABELS } from "@/lib/dashboard/agents/agent_field_labels.ts";
import { NewTabLink } from "../NewTabLink.tsx";
import type { DraftChanges } from "../../lib/dashboard/browser/draft_storage.ts";

export type RestoredDraft = DraftChanges & { diffHref: string };

export interface DraftOfferProps {
  /** Nothing is offered without it. */
  restore: (() => void) | undefined;
  discard: () => void;
  /** What has been brought back, and where it is told what somebody else has changed. */
  restored: RestoredDraft | undefined;
}

/** Offers what did not arrive, and tells what has come back of it. */
export function DraftOffer({ restore, discard, restored }: DraftOfferProps) {
  if (restored !== undefined) return <Restored {...restored} />;
  if (restore === undefined) return null;
  return (
    <span class="guard-offer">
      <span class="help">Your last changes did not reach the service.</span>
      <button type="button" class="button button-small" onClick={restore}>Bring back</button>
      <button type="button" class="button button-small" onClick={discard}>Discard</button>
    </span>
  );
}

function Restored({ mine, clashes, diffHref }: RestoredDraft) {
  const told = useRef<HTMLSpanElement>(null);
  // The button that had the focus is gone.
  useEffect(() => told.current?.focus(), []);
  return (
    <span class="guard-offer" tabIndex={-1} ref={told}>
      <span class="help">Brought back: {labelsOf(mine)}.</span>
      {clashes.length > 0 && (
        <>
          <strong>
            Someone else changed {labelsOf(clashes)} as well. Yours replaces theirs when you save.
          </strong>
          <NewTabLink href={diffHref}>What they changed</NewTabLink>
        </>
      )}
    </span>
  );
}

function labelsOf(names: readonly string[]): string {
  return names.map((name) => FIELD_LABELS[name as keyof typeof FIELD_LABELS] ?? name).join(", ");
}
