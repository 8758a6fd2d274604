/**
 * Sends a form of filters as soon as one is chosen with the pointer, and hides its button. Someone who
 * uses the keyboard passes over options on the way to theirs, so they get the button back. Returns a
 * function that stops it.
 */
export function applyFilters(document: Document): () => void {
  const stop = new AbortController();
  for (const form of document.querySelectorAll<HTMLFormElement>("form.filters")) {
    const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
    if (button === null) continue;
    const listen = (type: string, listener: () => void) =>
      form.addEventListener(type, listener, { signal: stop.signal });
    button.hidden = true;
    for (const type of ["keydown", "keyup"]) listen(type, () => button.hidden = false);
    listen("change", () => button.hidden && form.requestSubmit());
  }
  return () => stop.abort();
}
