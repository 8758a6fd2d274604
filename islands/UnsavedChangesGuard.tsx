import { useEffect, useRef, useState } from "preact/hooks";
import { DraftNotice, type RestoredDraft } from "@/components/editor/DraftNotice.tsx";
import { formValues, isFormChanged } from "@/lib/dashboard/browser/form_values.ts";
import {
  deleteDraft,
  deleteDraftsOfOtherUsers,
  deleteSentDrafts,
  findUnsavedDraft,
  isDraftSaved,
  markSentDraftSaved,
  restoreDraft,
  saveDraft,
} from "@/lib/dashboard/browser/draft_storage.ts";
import { resetForm, watchForm } from "@/lib/dashboard/browser/watch_form.ts";
import { watchSaveKey } from "@/lib/dashboard/browser/watch_save_key.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface UnsavedChangesGuardProps {
  /** Id of the signed-in user. */
  user: string;
  /** Undefined for a new agent. */
  agentId?: string | undefined;
  /** The form was just saved. */
  saved: boolean;
  /** The form shows unsaved values: it was rejected, or a template fills it. */
  rejected: boolean;
  /** The values that the form was opened with, if the page shows unsaved ones. */
  base?: Record<string, string> | undefined;
  /** Label of the button that saves. */
  submit: string;
  /** Where "Cancel" leads; without it, only changes can be discarded. */
  cancelHref?: string | undefined;
}

/**
 * The bar that saves the editor's form. It shows unsaved changes, validates them on the server, keeps
 * them in the browser, and restores what an expired session or a lost page would have cost. Without
 * scripts it is the form's button.
 */
export default function UnsavedChangesGuard(props: UnsavedChangesGuardProps) {
  const { submit, cancelHref } = props;
  const guard = useGuard(props);
  const { changed, restored } = guard;
  return (
    <div
      class={changed ? "form-actions sticky save-bar save-bar-changed" : "form-actions save-bar"}
    >
      <div class="guard">
        <span class="save-state" role="status">{statusText(guard)}</span>
        {guard.signedOut && <SignedOut />}
        {restored !== undefined && <DraftNotice {...restored} />}
      </div>
      {changed && (
        <button type="button" class="button" onClick={guard.discard}>{t("Discard")}</button>
      )}
      {!changed && cancelHref !== undefined && (
        <a class="button" href={cancelHref} aria-current="false">{t("Cancel")}</a>
      )}
      <button class="button button-primary" type="submit" aria-keyshortcuts="Control+S Meta+S">
        {submit}
      </button>
    </div>
  );
}

/** The draft stays in this tab while the user signs in again. */
function SignedOut() {
  const next = encodeURIComponent(pagePath());
  return (
    <span class="guard-offer" role="alert">
      <span class="help">{t("You are signed out. Your changes are stored in this tab.")}</span>
      <a class="button button-small" href={`/sign-in?next=${next}`} data-keeps-draft>
        {t("Sign in")}
      </a>
    </span>
  );
}

function useGuard({ user, agentId, saved, rejected, base }: UnsavedChangesGuardProps) {
  const [changed, setChanged] = useState(false);
  const [issues, setIssues] = useState(0);
  const [signedOut, setSignedOut] = useState(false);
  const [restored, setRestored] = useState<RestoredDraft>();
  const stopWatching = useRef(() => {});
  useEffect(() => {
    const form = agentForm();
    const path = pagePath();
    const store = (sent: boolean) => saveDraft(form, { user, path, base, sent });
    deleteDraftsOfOtherUsers(user);
    if (saved) {
      markSentDraftSaved();
      // Drop the notice from the address, so that a reload does not count as just saved.
      history.replaceState(history.state, "", path + location.hash);
    } else if (rejected) {
      deleteSentDrafts();
      store(false);
    }
    const stop = watchForm(form, {
      ...{ agentId, rejected, onChange: setChanged },
      onIssueCount(count) {
        setIssues(count);
        setSignedOut(false);
      },
      onSignedOut() {
        store(false);
        setSignedOut(true);
      },
      onSubmit: () => store(true),
      onPause: (isUnsaved) => isUnsaved ? store(false) : deleteDraft(path),
      isSaved: () => isDraftSaved(form, { user, path }),
    });
    const stopKey = watchSaveKey(form, () => {
      if (rejected || isFormChanged(form)) form.requestSubmit();
    });
    const draft = findUnsavedDraft(form, { user, path });
    if (draft !== undefined) {
      const { version } = draft.values;
      const versions = `/agents/${agentId}/versions/${formValues(form).version}?with=${version}`;
      setRestored({ ...restoreDraft(form, draft), diffHref: versions });
    }
    return stopWatching.current = () => {
      stop();
      stopKey();
    };
  }, []);
  function discard() {
    deleteDraft(pagePath());
    setRestored(undefined);
    if (rejected) {
      stopWatching.current();
      location.assign(location.pathname);
      return;
    }
    const form = agentForm();
    resetForm(form);
    // The focused button was removed.
    form.querySelector<HTMLElement>("[type=submit]")?.focus();
  }
  return { changed, issues, signedOut, restored, discard };
}

function agentForm(): HTMLFormElement {
  return document.getElementById("agent-form") as HTMLFormElement;
}

/** The form's page, which identifies its draft. */
function pagePath(): string {
  const url = new URL(location.href);
  url.searchParams.delete("notice");
  return url.pathname + url.search;
}

function statusText(
  { changed, issues, restored }: {
    changed: boolean;
    issues: number;
    restored?: object | undefined;
  },
): string {
  if (issues === 1) return t("1 field needs attention");
  if (issues > 1) return t("{issues} fields need attention", { issues });
  return changed && restored === undefined ? t("Unsaved changes") : "";
}
