import { formDefaults, formValues } from "./form_values.ts";

// Drafts live in the tab's session storage: they survive sign-in, reloads and crashes, and end with
// the tab, so that nothing stays on a shared computer.
const PREFIX = "agent-draft ";

type Values = Record<string, string>;

export interface StoredDraft {
  /** Id of its author; other users who sign in in this tab do not see it. */
  user: string;
  values: Values;
  /** The values that the form was opened with, to tell the user's changes from others'. */
  base: Values;
  /** The form was submitted; the next page says whether it was saved. */
  sent?: true;
  /** The save succeeded, so there is nothing to restore. */
  saved?: true;
}

export interface DraftKey {
  user: string;
  /** The page of the form. */
  path: string;
}

/** Pass `base` if the page already shows edited values, after a rejected save. */
export function saveDraft(
  form: HTMLFormElement,
  { user, path, base, sent }: DraftKey & { base: Values | undefined; sent: boolean },
): void {
  const values = withoutPasswords(form, formValues(form));
  writeDraft(path, {
    ...{ user, values, base: base ?? formDefaults(form) },
    ...sent && { sent },
  });
}

export function deleteDraftsOfOtherUsers(user: string): void {
  for (const path of storedPaths()) {
    if (readDraft(path)?.user !== user) deleteDraft(path);
  }
}

export function deleteDraft(path: string): void {
  writeDraft(path, undefined);
}

/**
 * Marks the submitted draft as saved. It stays stored in case the user navigates back to its form.
 */
export function markSentDraftSaved(): void {
  for (const path of storedPaths()) {
    const draft = readDraft(path);
    if (draft?.sent) writeDraft(path, { ...draft, saved: true });
  }
}

/** Deletes the submitted draft: its form was rejected, and the new page has its values. */
export function deleteSentDrafts(): void {
  for (const path of storedPaths()) {
    if (readDraft(path)?.sent) deleteDraft(path);
  }
}

/** The form's unsaved draft, if it differs from the form. */
export function findUnsavedDraft(
  form: HTMLFormElement,
  { user, path }: DraftKey,
): StoredDraft | undefined {
  const draft = readDraft(path);
  if (draft?.user !== user || draft.saved) return undefined;
  return compareDraft(draft, formValues(form)).mine.length > 0 ? draft : undefined;
}

/** True if the form shows values that were already saved, after navigating back. */
export function isDraftSaved(form: HTMLFormElement, { user, path }: DraftKey): boolean {
  const draft = readDraft(path);
  if (draft?.user !== user || !draft.saved) return false;
  const now = formValues(form);
  return Object.entries(draft.values).every(([name, value]) => now[name] === value);
}

/** The fields that a draft changes, and those of them that someone else has changed as well. */
export type DraftChanges = { mine: string[]; clashes: string[] };

/**
 * Only fields that differ from `base` count: other differences are someone else's changes. In a new
 * agent, every field counts.
 */
export function compareDraft(
  { values, base }: Pick<StoredDraft, "values" | "base">,
  now: Values,
): DraftChanges {
  const isNew = (values.version ?? "") === "";
  const mine = Object.keys(values).filter((name) =>
    name !== "version" && values[name] !== now[name] && (isNew || values[name] !== base[name])
  );
  return { mine, clashes: isNew ? [] : mine.filter((name) => now[name] !== base[name]) };
}

/** Applies a draft to the form. The version stays the page's, so that conflicts are detected. */
export function restoreDraft(form: HTMLFormElement, draft: StoredDraft): DraftChanges {
  const changes = compareDraft(draft, formValues(form));
  for (const name of changes.mine) {
    const control = form.elements.namedItem(name);
    if (control === null || !("value" in control)) continue;
    control.value = draft.values[name] ?? "";
    if (control instanceof Element) control.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return changes;
}

/** Secrets are never stored in the browser. */
function withoutPasswords(form: HTMLFormElement, values: Values): Values {
  const secret = [...form.querySelectorAll<HTMLInputElement>("input[type=password]")];
  const names = new Set(secret.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

function storedPaths(): string[] {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

function readDraft(path: string): StoredDraft | undefined {
  try {
    const text = sessionStorage.getItem(PREFIX + path) ?? "null";
    const draft = JSON.parse(text) as StoredDraft | null;
    return draft?.base === undefined ? undefined : draft;
  } catch {
    return undefined;
  }
}

function writeDraft(path: string, draft: StoredDraft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + path);
    else sessionStorage.setItem(PREFIX + path, JSON.stringify(draft));
  } catch {
    // Storage may be full or blocked; then only the page has the values.
  }
}
