/** Two frames: one for the focused field to report its value, one for the islands to render it. */
function afterRender(work: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(work));
}

/** Saves the form with Ctrl+S or Cmd+S instead of the page. Returns a function that stops it. */
export function watchSaveKey(form: HTMLFormElement, save: () => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isSave = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey &&
      event.key.toLowerCase() === "s";
    if (!isSave) return;
    event.preventDefault();
    const focused = document.activeElement;
    // Some fields report their value when they lose the focus.
    if (focused instanceof HTMLElement && form.contains(focused)) {
      focused.blur();
      focused.focus();
    }
    afterRender(save);
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
