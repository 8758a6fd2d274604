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
  /** The form's action, which identifies its draft. */
  path: string;
  /** The form was just saved. */
  saved: boolean;
  /** The form was rejected and shows unsaved values. */
  rejected: boolean;
  /** The values that the form was opened with, if the page shows edited values. */
  base?: Record<string, string> | undefined;
}

/**
 * Watches the editor's form: shows unsaved changes, validates them on the server, and restores what a
 * failed save would have lost. The form also works without it.
 */
export default function UnsavedChangesGuard(
  { user, path, saved, rejected, base }: UnsavedChangesGuardProps,
) {
  const [changed, setChanged] = useState(false);
  const [issues, setIssues] = useState(0);
  const [signedOut, setSignedOut] = useState(false);
  const [restore, setRestore] = useState<(() => void) | undefined>();
  const [restored, setRestored] = useState<RestoredDraft>();
  useEffect(() => {
    const form = agentForm();
    deleteDraftOfOtherUser(user);
    if (saved) {
      markDraftSaved();
      // Drop the notice from the address, so that a reload does not count as just saved.
      history.replaceState(history.state, "", path + location.hash);
    } else if (rejected) deleteDraft();
    const draft = findUnsavedDraft(form, { user, path });
    if (draft !== undefined) {
      setRestore(() => () => {
        const diffHref = `${path}/versions/${
          formValues(form).version
        }?with=${draft.values.version}`;
        setRestored({ ...restoreDraft(form, draft), diffHref });
        discard();
      });
    }
    return watchForm(form, {
      rejected,
      onChange: setChanged,
      onIssueCount(count) {
        setIssues(count);
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
    // The focused button was removed.
    agentForm().querySelector<HTMLElement>("[type=submit]")?.focus();
  }
  return (
    <span class="guard">
      <span class="help" role="status">{statusText(changed, issues)}</span>
      {signedOut && <SignedOut />}
      <DraftOffer restore={restore} discard={discard} restored={restored} />
    </span>
  );
}

/** The draft stays in this tab while the user signs in again. */
function SignedOut() {
  const next = encodeURIComponent(location.pathname + location.search);
  return (
    <span class="guard-offer" role="alert">
      <span class="help">You are signed out. Your changes are saved in this tab.</span>
      <a class="button button-small" href={`/sign-in?next=${next}`} data-sign-in>Sign in</a>
    </span>
  );
}

function agentForm(): HTMLFormElement {
  return document.getElementById("agent-form") as HTMLFormElement;
}

function statusText(changed: boolean, issues: number): string {
  if (issues > 0) {
    return issues === 1 ? "1 field needs attention" : `${issues} fields need attention`;
  }
  return changed ? "Unsaved changes" : "";
}
