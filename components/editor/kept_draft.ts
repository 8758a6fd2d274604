/** One draft a tab: kept while a save is under way, so that nothing is lost if it never arrives. */
const NAME = "agent-draft";

interface KeptDraft {
  /** Of the form. */
  path: string;
  values: Record<string, string>;
}

export function keepDraft(form: HTMLFormElement, path: string): void {
  const draft: KeptDraft = { path, values: valuesOf(form) };
  try {
    sessionStorage.setItem(NAME, JSON.stringify(draft));
  } catch {
    // Storage may be full or closed: then the page alone keeps it.
  }
}

export function dropDraft(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // As above.
  }
}

/** What was kept of the form at `path`, if it differs from what the form holds. */
export function keptDraft(form: HTMLFormElement, path: string): KeptDraft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(NAME) ?? "null") as KeptDraft | null;
    if (draft?.path !== path) return undefined;
    const now = valuesOf(form);
    const { version: _, ...kept } = draft.values;
    return Object.entries(kept).some(([name, value]) => now[name] !== value) ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** Puts a draft into the form; the version stays the page's, so that a newer one is noticed. */
export function restoreDraft(form: HTMLFormElement, { values }: KeptDraft): void {
  for (const [name, value] of Object.entries(values)) {
    const control = form.elements.namedItem(name);
    if (name === "version" || control === null || !("value" in control)) continue;
    control.value = value;
    if (control instanceof Element) control.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** A form's fields by name. */
export function valuesOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, String(value).replace(/\r\n?/g, "\n")]),
  );
}
