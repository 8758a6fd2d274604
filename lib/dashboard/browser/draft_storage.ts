import { formDefaults, formValues } from "./form_values.ts";

/** One draft a tab: kept while a save is under way, so that nothing is lost if it never arrives. */
const STORAGE_KEY = "agent-draft";

type Values = Record<string, string>;

export interface StoredDraft {
  /** Id of the user who typed it: nobody else who signs in in this tab gets to see it. */
  user: string;
  /** Of the form. */
  path: string;
  values: Values;
  /** What the form was opened with: without it nobody could tell whose a difference is. */
  base: Values;
  /** It has arrived: there is nothing to bring back. */
  saved?: true;
}

/** Whose draft of which form. */
export interface DraftKey {
  user: string;
  path: string;
}

/** `base` where the page came with something typed already, after a refusal. */
export function saveDraft(
  form: HTMLFormElement,
  { user, path, base }: DraftKey & { base: Values | undefined },
): void {
  writeDraft({ user, path, values: formValues(form), base: base ?? formDefaults(form) });
}

/** Forgets what another user has typed in this tab. */
export function deleteDraftOfOtherUser(user: string): void {
  const draft = readDraft();
  if (draft !== undefined && draft.user !== user) deleteDraft();
}

export function deleteDraft(): void {
  writeDraft(undefined);
}

/** The last draft has arrived. What it held is still known, for somebody who goes back to its form. */
export function markDraftSaved(): void {
  const draft = readDraft();
  if (draft !== undefined) writeDraft({ ...draft, saved: true });
}

/** What was kept of the form at `path` and did not arrive, if it would change anything. */
export function findUnsavedDraft(
  form: HTMLFormElement,
  { user, path }: DraftKey,
): StoredDraft | undefined {
  const draft = readDraft();
  if (draft?.user !== user || draft.path !== path || draft.saved) return undefined;
  return compareDraft(draft, formValues(form)).mine.length > 0 ? draft : undefined;
}

/** Whether the form at `path` holds what has been saved from it: somebody has gone back to it. */
export function isDraftSaved(form: HTMLFormElement, { user, path }: DraftKey): boolean {
  const draft = readDraft();
  if (draft?.user !== user || draft.path !== path || !draft.saved) return false;
  const now = formValues(form);
  return Object.entries(draft.values).every(([name, value]) => now[name] === value);
}

/** Which fields a draft changes where a form holds `now`. */
export interface DraftChanges {
  mine: string[];
  /** Those of them that somebody else has changed as well. */
  clashes: string[];
}

/**
 * What a draft would change: only what differs from what its form was opened with, since whatever else
 * differs from `now` is somebody else's work. A new agent is nobody else's, and all of it counts.
 */
export function compareDraft({ values, base }: StoredDraft, now: Values): DraftChanges {
  const isNew = (values.version ?? "") === "";
  const mine = Object.keys(values).filter((name) =>
    name !== "version" && values[name] !== now[name] && (isNew || values[name] !== base[name])
  );
  return { mine, clashes: isNew ? [] : mine.filter((name) => now[name] !== base[name]) };
}

/** Puts a draft's changes into the form; the version stays the page's, so that a newer one is noticed. */
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
    // Storage may be full or closed: then the page alone keeps it.
  }
}
