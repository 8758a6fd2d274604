import { useEffect, useState } from "preact/hooks";
import { DraftOffer, type RestoredDraft } from "@/components/editor/DraftOffer.tsx";
import { formValues } from "@/lib/dashboard/browser/form_values.ts";
import {
  deleteDraft,
  deleteDraftOfOtherUser,
  findUnsavedDraft,
  isDraftSaved,
  markDraftSaved,
  restoreDraft,
  saveDraft,
} from "@/lib/dashboard/browser/draft_storage.ts";
import { watchForm } from "@/lib/dashboard/browser/watch_form.ts";

export interface UnsavedChangesGuardProps {
  /** Id of the signed-in user. */
  user: string;
  /** Where the form is sent: names its draft. */
  path: string;
  /** The page shows what has just been saved. */
  saved: boolean;
  /** The page shows what could not be saved. */
  rejected: boolean;
  /** What the form was opened with, where the page shows what was typed since. */
  base?: Record<string, string> | undefined;
}

/**
 * Watches the editor's form: tells of unsaved changes, checks them by the server's own rules, and
 * brings back what a failed save would have lost. Without it the form works all the same.
 */
export default function UnsavedChangesGuard(
  { user, path, saved, rejected, base }: UnsavedChangesGuardProps,
) {
  const [changed, setChanged] = useState(false);
  const [faulty, setFaulty] = useState(0);
  const [signedOut, setSignedOut] = useState(false);
  const [restore, setRestore] = useState<(() => void) | undefined>();
  const [restored, setRestored] = useState<RestoredDraft>();
  useEffect(() => {
    const form = agentForm();
    deleteDraftOfOtherUser(user);
    if (saved) {
      markDraftSaved();
      // Reloaded, or come back to, the page has not just been saved any more.
      history.replaceState(history.state, "", path + location.hash);
    } else if (rejected) deleteDraft();
    const kept = findUnsavedDraft(form, { user, path });
    if (kept !== undefined) {
      setRestore(() => () => {
        const diffHref = `${path}/versions/${formValues(form).version}?with=${kept.values.version}`;
        setRestored({ ...restoreDraft(form, kept), diffHref });
        discard();
      });
    }
    return watchForm(form, {
      rejected,
      onChange: setChanged,
      onIssueCount(count) {
        setFaulty(count);
        setSignedOut(false);
      },
      onSignedOut() {
        saveDraft(form, { user, path, base });
        setSignedOut(true);
      },
      onSubmit: () => saveDraft(form, { user, path, base }),
      isSaved: () => isDraftSaved(form, { user, path }),
    });
  }, []);
  function discard() {
    deleteDraft();
    setRestore(undefined);
    // The button that had the focus goes.
    agentForm().querySelector<HTMLElement>("[type=submit]")?.focus();
  }
  return (
    <span class="guard">
      <span class="help" role="status">{statusText(changed, faulty)}</span>
      {signedOut && <SignedOut />}
      <DraftOffer restore={restore} discard={discard} restored={restored} />
    </span>
  );
}

/** What is typed stays in this tab while the form's page is left for the sign-in's. */
function SignedOut() {
  const next = encodeURIComponent(location.pathname + location.search);
  return (
    <span class="guard-offer" role="alert">
      <span class="help">You are signed out. Your changes are kept in this tab.</span>
      <a class="button button-small" href={`/sign-in?next=${next}`} data-sign-in>Sign in</a>
    </span>
  );
}

function agentForm(): HTMLFormElement {
  return document.getElementById("agent-form") as HTMLFormElement;
}

function statusText(changed: boolean, faulty: number): string {
  if (faulty > 0) {
    return faulty === 1 ? "One field needs attention" : `${faulty} fields need attention`;
  }
  return changed ? "Unsaved changes" : "";
}
