const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

/**
 * Opens the next conversation of the list with J and the previous one with K, outside text fields and
 * dialogs; scrolls the open one into view. Returns a function that stops it.
 */
export function listenToInboxKeys(document: Document): () => void {
  const stop = new AbortController();
  openRow(document)?.scrollIntoView({ block: "nearest" });
  document.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    if (step === undefined || isCommand || event.repeat || isTyping(event.target)) return;
    event.preventDefault();
    rowBeside(document, step)?.click();
  }, { signal: stop.signal });
  return () => stop.abort();
}

function rowsOf(document: Document): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>(".inbox-list .row-link")];
}

function openRow(document: Document): HTMLAnchorElement | undefined {
  const open = rowsOf(document).filter((row) => row.getAttribute("aria-current") === "true");
  // Several failed runs of one conversation are rows of their own.
  return open.find((row) => row.hash === location.hash) ?? open[0];
}

/** The row `step` rows from the open one; without one, the first row. */
function rowBeside(document: Document, step: number): HTMLAnchorElement | undefined {
  const rows = rowsOf(document);
  const at = rows.indexOf(openRow(document)!);
  return at === -1 ? rows[0] : rows[at + step];
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element &&
    target.closest("input, select, textarea, [contenteditable], dialog") !== null;
}
