/**
 * Sends a form of filters as soon as one is chosen with the pointer, and hides its button. Someone who
 * uses the keyboard passes over options on the way to theirs, so they get the button back. Returns a
 * function that stops it.
 */
export function applyFilters(document: Document): () => void {
  const stop = new AbortController();
  const options = { signal: stop.signal };
  for (const form of document.querySelectorAll<HTMLFormElement>("form.filters")) {
    const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
    if (button === null) continue;
    button.hidden = true;
    for (const type of ["keydown", "keyup"]) {
      form.addEventListener(type, () => button.hidden = false, options);
    }
    form.addEventListener("change", ({ target }) => {
      // A key that was pressed before this script ran.
      if (isUsedByKeyboard(target)) button.hidden = false;
      if (button.hidden) form.requestSubmit();
    }, options);
    // Back to a page that the browser kept: its filters are those of the address again.
    document.defaultView?.addEventListener(
      "pageshow",
      (event) => event.persisted && form.reset(),
      options,
    );
    // Chosen before this script ran.
    if (![...form.elements].some(isChanged)) continue;
    if (form.querySelector(":focus-visible") === null) form.requestSubmit();
    else button.hidden = false;
  }
  return () => stop.abort();
}

/** The focus ring says so; a field of a date has one in any case. */
function isUsedByKeyboard(target: EventTarget | null): boolean {
  return target instanceof HTMLSelectElement && target.matches(":focus-visible");
}

function isChanged(control: Element): boolean {
  if (control instanceof HTMLInputElement) {
    return control.type === "date" && control.value !== control.defaultValue;
  }
  if (!(control instanceof HTMLSelectElement)) return false;
  const served = [...control.options].findIndex((option) => option.defaultSelected);
  return control.selectedIndex !== Math.max(served, 0);
}
