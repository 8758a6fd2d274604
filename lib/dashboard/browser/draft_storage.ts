import { formDefaults, formValues } from "./form_values.ts";

// One draft per tab, stored before each save in case the save fails.
const STORAGE_KEY = "agent-draft";

type Values = Record<string, string>;

export interface StoredDraft {
  /** Id of its author; other users who sign in in this tab do not see it. */
  user: string;
  path: string;
  values: Values;
  /** The values that the form was opened with, to tell the user's changes from others'. */
  base: Values;
  /** The save succeeded, so there is nothing to restore. */
  saved?: true;
}

type DraftKey = Pick<StoredDraft, "user" | "path">;

/** Pass `base` if the page already shows edited values, after a rejected save. */
export function saveDraft(
  form: HTMLFormElement,
  { user, path, base }: DraftKey & { base: Values | undefined },
): void {
  writeDraft({ user, path, values: formValues(form), base: base ?? formDefaults(form) });
}

export function deleteDraftOfOtherUser(user: string): void {
  const draft = readDraft();
  if (draft !== undefined && draft.user !== user) deleteDraft();
}

export function deleteDraft(): void {
  writeDraft(undefined);
}

/** Marks the draft as saved. It stays stored in case the user navigates back to its form. */
export function markDraftSaved(): void {
  const draft = readDraft();
  if (draft !== undefined) writeDraft({ ...draft, saved: true });
}

/** The form's unsaved draft, if it differs from the form. */
export function findUnsavedDraft(
  form: HTMLFormElement,
  { user, path }: DraftKey,
): StoredDraft | undefined {
  const draft = readDraft();
  if (draft?.user !== user || draft.path !== path || draft.saved) return undefined;
  return compareDraft(draft, formValues(form)).mine.length > 0 ? draft : undefined;
}

/** True if the form shows values that were already saved, after navigating back. */
export function isDraftSaved(form: HTMLFormElement, { user, path }: DraftKey): boolean {
  const draft = readDraft();
  if (draft?.user !== user || draft.path !== path || !draft.saved) return false;
  const now = formValues(form);
  return Object.entries(draft.values).every(([name, value]) => now[name] === value);
}

/** The fields that a draft changes, and those of them that someone else has changed as well. */
export type DraftChanges = { mine: string[]; clashes: string[] };

/**
 * Only fields that differ from `base` count: other differences are someone else's changes. In a new
 * agent, every field counts.
 */
export function compareDraft({ values, base }: StoredDraft, now: Values): DraftChanges {
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

function readDraft(): StoredDraft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as StoredDraft | null;
    return draft?.base === undefined ? undefined : draft;
  } catch {
    return undefined;
  }
}

function writeDraft(draft: StoredDraft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, JSON.stringify(draft));
  } catch {
    // Storage may be full or blocked; then only the page has the values.
  }
}
